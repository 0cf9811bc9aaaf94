#!/usr/bin/env python3
"""Writes tests/data/router_loss: the loss that balances experts, as transformers computes it.

For the tiny checkpoints of tests/data/models that hold experts, and row 0 of their golden batch alone (transformers takes
all rows of a batch together, libilt each sample by itself): router_loss.json has the auxiliary loss; and
router_loss.safetensors, of cross-entropy + 0.5 x auxiliary loss, the gradients of the routers and of the embedding.

Needs torch and transformers (tools/requirements/parity.txt), and the checkpoints (model_goldens.py).
"""
import json
import os
import pathlib
import re
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"
import torch  # noqa: E402
import transformers  # noqa: E402
from safetensors.torch import load_file, save_file  # noqa: E402

DATA = pathlib.Path(__file__).resolve().parents[2] / "tests/data"
MODELS = {"mixtral": "Mixtral", "qwen2_moe": "Qwen2Moe", "qwen3_moe": "Qwen3Moe", "granite_moe": "GraniteMoe",
          "olmoe": "Olmoe", "gpt_oss": "GptOss"}
WEIGHT = 0.5


def main():
    torch.set_num_threads(1)
    losses, gradients = {}, {}
    for name, kind in MODELS.items():
        folder = DATA / "models" / name
        model = getattr(transformers, kind + "ForCausalLM").from_pretrained(
            folder, dtype=torch.float32, attn_implementation="eager", output_router_logits=True,
            router_aux_loss_coef=WEIGHT).train()
        golden = load_file(folder / "golden.safetensors")
        length = golden["logits_0"].shape[0]
        ids, labels = golden["input_ids"][:1, :length], golden["labels"][:1, :length]
        output = model(input_ids=ids, labels=labels, output_router_logits=True)
        losses[name] = output.aux_loss.item()
        output.loss.backward()
        with tempfile.TemporaryDirectory() as scratch:  # under the checkpoint's names, which only saving knows
            model.save_pretrained(scratch, state_dict={key: p.grad for key, p in model.named_parameters()})
            for key, value in load_file(pathlib.Path(scratch) / "model.safetensors").items():
                if re.search(r"embed_tokens|router|\.gate\.|shared_expert_gate", key):
                    gradients[f"{name}/{key}"] = value
    out = DATA / "router_loss"
    out.mkdir(exist_ok=True)
    (out / "router_loss.json").write_text(json.dumps({"weight": WEIGHT, "losses": losses}, indent=1) + "\n")
    save_file(gradients, out / "router_loss.safetensors")
    (out / "router_loss.safetensors").chmod(0o644)
    print(losses, sorted(gradients))


if __name__ == "__main__":
    main()
