#!/usr/bin/env python3
"""Writes tests/data/llama/: tiny random Llama checkpoints with the results that transformers computes on them.

    llama_goldens.py [OUT [NAME...]]        (default: tests/data/llama, all)

OUT/NAME/  config.json, model.safetensors   as `save_pretrained` writes them
           golden.safetensors  input_ids, labels [2, 24]: row 1 has 17 tokens, then padding (id 0, label -100);
                               logits_0 [24, V] and logits_1 [17, V] of that batch, fp32;
                               alone_0, alone_1 (dynamic rope only): the logits of each row by itself in a fresh model,
                               because there the longest row of a batch changes the frequencies of all
           grads.safetensors   d loss / d parameter, named and shaped as in model.safetensors, fp32
           golden.json         loss, the losses before and after each of 5 AdamW steps, what was checked

Labels are unshifted (position t is predicted by the logits at t - 1); the first 8 of each row are masked. The loss is
the mean over the supervised targets of both rows. AdamW: lr 1e-3, betas 0.9/0.999, eps 1e-8, weight decay 0.1 on every
parameter, no clipping. All is computed in fp32, whatever the weights are stored in.

Needs torch and transformers (tools/requirements/parity.txt).
"""
import json
import os
import pathlib
import shutil
import sys

os.environ["HF_HUB_OFFLINE"] = "1"
import torch  # noqa: E402
from safetensors.torch import load_file, save_file  # noqa: E402
from transformers import LlamaConfig, LlamaForCausalLM  # noqa: E402
from transformers.utils import logging  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
VOCAB, LENGTHS, MASKED, STEPS = 256, (24, 17), 8, 5
BASE = dict(vocab_size=VOCAB, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
            num_key_value_heads=2, max_position_embeddings=128, bos_token_id=1, eos_token_id=2, pad_token_id=0,
            tie_word_embeddings=True, rope_parameters={"rope_type": "default", "rope_theta": 10000.0})


def rope(kind, theta=10000.0, **more):
    return {"rope_parameters": {"rope_type": kind, "rope_theta": theta, **more}}


LLAMA3 = dict(factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=32)
SPECS = {
    "gqa_untied": dict(tie_word_embeddings=False),
    "tied": {},
    "mha_headdim": dict(num_key_value_heads=4, head_dim=16),
    "bias": dict(attention_bias=True, mlp_bias=True),
    "rope_linear": rope("linear", factor=4.0),
    "rope_dynamic": dict(max_position_embeddings=16, **rope("dynamic", factor=2.0)),
    "rope_yarn": rope("yarn", factor=8.0, original_max_position_embeddings=16),
    "rope_llama3": rope("llama3", 500000.0, **LLAMA3),
    "bf16": {},
}
STORED_BF16 = {"bf16"}
# A copy of another folder whose config.json has the keys that transformers wrote before version 5.
OLD_KEYS = {"rope_llama3_old_keys": "rope_llama3", "rope_linear_old_keys": "rope_linear"}


def build(name):
    config = LlamaConfig(**{**BASE, **SPECS[name]}, attn_implementation="eager", use_cache=False)
    model = LlamaForCausalLM(config).float().train()
    generator = torch.Generator().manual_seed(7 + list(SPECS).index(name))
    with torch.no_grad():  # large enough that every feature shows in the logits
        for key, p in model.named_parameters():
            noise = torch.randn(p.shape, generator=generator)
            if p.ndim == 1:
                p.add_(0.1 * noise)
            else:
                p.copy_(noise * (0.5 if "embed" in key else 0.15))
    return model


def reload(folder):
    return LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").train()


def batch():
    generator = torch.Generator().manual_seed(42)
    ids = torch.randint(3, VOCAB, (2, max(LENGTHS)), generator=generator)
    attention = torch.ones_like(ids)
    ids[1, LENGTHS[1]:] = 0
    attention[1, LENGTHS[1]:] = 0
    labels = ids.clone()
    labels[:, :MASKED] = -100
    labels[1, LENGTHS[1]:] = -100
    return ids, attention, labels


def loss_of(model, ids, attention, labels):
    logits = model(input_ids=ids, attention_mask=attention).logits.float()
    loss = torch.nn.functional.cross_entropy(logits[:, :-1].reshape(-1, VOCAB), labels[:, 1:].reshape(-1),
                                             ignore_index=-100)
    return loss, logits


def golden(name, out):
    folder = out / name
    shutil.rmtree(folder, ignore_errors=True)
    model = build(name)
    model.to(torch.bfloat16 if name in STORED_BF16 else torch.float32).save_pretrained(folder)
    (folder / "generation_config.json").unlink()
    model = reload(folder)
    ids, attention, labels = batch()
    loss, logits = loss_of(model, ids, attention, labels)
    loss.backward()
    results = {"input_ids": ids, "labels": labels}
    for i, n in enumerate(LENGTHS):
        results[f"logits_{i}"] = logits[i, :n].detach().contiguous()
    difference = 0.0
    for i, n in enumerate(LENGTHS):
        with torch.no_grad():
            alone = reload(folder)(input_ids=ids[i:i + 1, :n]).logits[0].float()
        difference = max(difference, (alone - logits[i, :n]).abs().max().item())
        if "dynamic" in name:
            results[f"alone_{i}"] = alone.contiguous()
    save_file(results, folder / "golden.safetensors")

    grads = {key: p.grad.clone() for key, p in model.named_parameters()}
    weights = load_file(folder / "model.safetensors")
    assert set(grads) == set(weights) and all(grads[k].shape == weights[k].shape for k in grads), name
    save_file(grads, folder / "grads.safetensors")
    for path in folder.glob("*.safetensors"):
        path.chmod(0o644)

    assert difference < 1e-4 or "dynamic" in name, (name, difference)

    losses = [loss.item()]
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.1)
    for _ in range(STEPS):
        optimizer.step()
        optimizer.zero_grad()
        loss, _ = loss_of(model, ids, attention, labels)
        loss.backward()
        losses.append(loss.item())
    info = {"loss": losses[0], "losses": losses, "padded_vs_alone": difference, "logit_std": logits.std().item()}
    (folder / "golden.json").write_text(json.dumps(info, indent=1) + "\n")
    return info


def old_keys(name, out):
    source, folder = out / OLD_KEYS[name], out / name
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(source, folder)
    config = json.loads((source / "config.json").read_text())
    scaling = config.pop("rope_parameters")
    config["rope_theta"] = scaling.pop("rope_theta")
    if "linear" in name:  # the first generation of all: "type"
        scaling = {"type": scaling.pop("rope_type"), **scaling}
    config["rope_scaling"] = scaling
    config["torch_dtype"] = config.pop("dtype")
    config["transformers_version"] = "4.43.0"
    (folder / "config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")
    logits = load_file(folder / "golden.safetensors")
    ids, attention, labels = batch()
    again = loss_of(reload(folder), ids, attention, labels)[1]
    assert (again[0] - logits["logits_0"]).abs().max() < 1e-5, name


def main():
    torch.set_num_threads(1)
    logging.disable_progress_bar()
    out = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "tests/data/llama"
    names = sys.argv[2:] or [*SPECS, *OLD_KEYS]
    for name in names:
        if name in OLD_KEYS:
            old_keys(name, out)
            print(f"{name:22s} as {OLD_KEYS[name]}")
            continue
        info = golden(name, out)
        print(f"{name:22s} loss {info['losses'][0]:.4f} -> {info['losses'][-1]:.4f}, logits' deviation "
              f"{info['logit_std']:.2f}, alone {info['padded_vs_alone']:.1e}")


if __name__ == "__main__":
    main()
