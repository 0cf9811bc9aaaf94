#!/usr/bin/env python3
"""Makes tests/data/train/weighted_step.json: a step by weighted tokens, as torch and transformers take it.

Usage: weighted_step_goldens.py   (needs torch and transformers)

Three samples that know nothing of each other, a weight for each label (some 0, some negative), the summed loss by a
divisor of its own, and one step of SGD without momentum or clipping.
"""

import json
import pathlib

import torch
import transformers

DATA = pathlib.Path(__file__).resolve().parents[2] / "tests/data"
MODEL = DATA / "llama/gqa_untied"
SHOWN = "model.layers.1.mlp.down_proj.weight"
DIVISOR, LR, IGNORED = 7.5, 0.05, -100


def samples(generator):
    for length in (9, 14, 5):
        ids = torch.randint(0, 256, (length,), generator=generator)
        labels = ids.clone()
        labels[: length // 3] = IGNORED
        labels[-1] = (ids[-1] + 11) % 256  # a target that is not the next token
        weights = torch.randn(length, generator=generator) + 0.5
        weights[length // 2] = 0
        yield ids, labels, weights


def loss_of(model, batch):
    total = torch.zeros((), dtype=torch.float64)
    for ids, labels, weights in batch:
        logits = model(ids[None]).logits[0, :-1].double()
        losses = torch.nn.functional.cross_entropy(logits, labels[1:], reduction="none", ignore_index=IGNORED)
        total = total + (losses * weights[1:]).sum()
    return total


def main():
    model = transformers.AutoModelForCausalLM.from_pretrained(MODEL, dtype=torch.float32, attn_implementation="eager")
    batch = list(samples(torch.Generator().manual_seed(11)))
    optimizer = torch.optim.SGD(model.parameters(), lr=LR)
    loss = loss_of(model, batch)
    (loss / DIVISOR).backward()
    grads = [p.grad.double().square().sum() for p in model.parameters()]
    norm = torch.stack(grads).sum().sqrt().item()
    optimizer.step()
    with torch.no_grad():
        after = loss_of(model, batch).item()
    golden = {
        "divisor": DIVISOR,
        "lr": LR,
        "samples": [{"ids": i.tolist(), "labels": t.tolist(), "weights": w.tolist()} for i, t, w in batch],
        "loss": loss.item(),
        "weight": sum(w[1:][t[1:] != IGNORED].double().sum().item() for _, t, w in batch),
        "grad_norm": norm,
        "loss_after": after,
        "parameter": SHOWN,
        "values_after": dict(model.named_parameters())[SHOWN][0].tolist(),
    }
    path = DATA / "train/weighted_step.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(golden, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
