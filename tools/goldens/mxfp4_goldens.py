#!/usr/bin/env python3
"""Writes tests/data/mxfp4: a tiny gpt-oss with MXFP4 experts as its release has them, and what transformers makes of it.

config.json, model.safetensors   U8 blocks and scales for the experts' matrices, bfloat16 for the rest
expected.safetensors             input_ids [1, 24], logits [24, V], and layer 0's dequantised gate_up_proj and down_proj

Needs torch and transformers (tools/requirements/parity.txt).
"""
import json
import os
import pathlib

os.environ["HF_HUB_OFFLINE"] = "1"
import torch  # noqa: E402
import transformers  # noqa: E402
from safetensors.torch import load_file, save_file  # noqa: E402

DATA = pathlib.Path(__file__).resolve().parents[2] / "tests/data/mxfp4"
CODES = torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, -0.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0])


def quantise(matrices):
    """[E, in, out] to blocks [E, out, in / 32, 16] and scales [E, out, in / 32] (OCP MX 1.0, section 6.3)."""
    groups = matrices.transpose(1, 2).unflatten(-1, (-1, 32)).float()
    exponent = groups.abs().amax(-1).clamp(min=2.0**-100).log2().floor() - 2  # 6 = 1.5 x 2^2 is the largest code
    codes = (groups / exponent.exp2().unsqueeze(-1)).unsqueeze(-1).sub(CODES).abs().argmin(-1)
    return (codes[..., 0::2] | codes[..., 1::2] << 4).to(torch.uint8), (exponent + 127).to(torch.uint8)


def main():
    torch.set_num_threads(1)
    torch.manual_seed(5)
    DATA.mkdir(exist_ok=True)
    config = transformers.GptOssConfig(
        vocab_size=61, hidden_size=32, intermediate_size=32, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, head_dim=10, num_local_experts=3, num_experts_per_tok=2, sliding_window=7,
        max_position_embeddings=64, layer_types=["sliding_attention", "full_attention"], use_cache=False)
    model = transformers.GptOssForCausalLM(config)
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(torch.randn_like(p) * 0.3)
    model.to(torch.bfloat16).save_pretrained(DATA)
    (DATA / "generation_config.json").unlink(missing_ok=True)
    tensors = load_file(DATA / "model.safetensors")
    for name in [n for n in tensors if n.endswith(("gate_up_proj", "down_proj"))]:
        blocks, scales = quantise(tensors.pop(name))
        tensors[name + "_blocks"], tensors[name + "_scales"] = blocks.contiguous(), scales.contiguous()
    save_file(tensors, DATA / "model.safetensors", metadata={"format": "pt"})
    text = json.loads((DATA / "config.json").read_text())
    text["quantization_config"] = {"quant_method": "mxfp4", "modules_to_not_convert": [
        "model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"]}
    (DATA / "config.json").write_text(json.dumps(text, indent=2) + "\n")

    model = transformers.GptOssForCausalLM.from_pretrained(
        DATA, dtype=torch.bfloat16, attn_implementation="eager",
        quantization_config=transformers.Mxfp4Config(dequantize=True)).float().eval()
    experts = model.model.layers[0].mlp.experts
    ids = torch.randint(3, 61, (1, 24))
    with torch.no_grad():
        logits = model(input_ids=ids).logits[0].float()
    save_file({"input_ids": ids, "logits": logits.contiguous(),
               "gate_up_proj": experts.gate_up_proj.detach().float().contiguous(),
               "down_proj": experts.down_proj.detach().float().contiguous()}, DATA / "expected.safetensors")
    for path in DATA.glob("*.safetensors"):
        path.chmod(0o644)
    print(sorted(tensors), experts.gate_up_proj.shape, experts.gate_up_proj.dtype, logits.std())


if __name__ == "__main__":
    main()
