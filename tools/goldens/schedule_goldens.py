#!/usr/bin/env python3
"""Writes tests/data/optim/schedule.json: learning rates of transformers' schedules, step by step, past the run's end.

Needs torch and transformers (tools/requirements/parity.txt).
"""
import json
import pathlib

import torch
import transformers

OUT = pathlib.Path(__file__).resolve().parents[2] / "tests/data/optim/schedule.json"
RUNS = ((0, 10), (3, 10), (10, 10), (12, 10), (0, 1), (1, 1), (1, 23))  # warmup, total
KINDS = (("constant", {}, {}), ("constant_with_warmup", {}, {}), ("linear", {}, {}), ("cosine", {}, {}),
         ("cosine_with_restarts", {}, {}), ("cosine_with_restarts", {"num_cycles": 3}, {"cycles": 3}),
         ("polynomial", {}, {}), ("polynomial", {"lr_end": 1e-6, "power": 2.0}, {"end_lr": 1e-6, "power": 2.0}),
         ("warmup_stable_decay", {"num_decay_steps": 4}, {"decay_steps": 4}))  # name, transformers' options, ours
PAST, BASE_LR = 3, 2e-5


def rates(kind, theirs, ours, warmup, total):
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=BASE_LR)
    schedule = transformers.get_scheduler(kind, optimizer, num_warmup_steps=warmup, num_training_steps=total,
                                          scheduler_specific_kwargs=theirs)
    lr = []
    for _ in range(total + PAST):
        lr.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
    return {"kind": kind, "base_lr": BASE_LR, "warmup": warmup, "total": total, **ours, "lr": lr}


def defined(kind, warmup, total):
    """False where transformers divides by zero or counts a negative number of steps."""
    if kind == "polynomial":
        return warmup < total
    return kind != "warmup_stable_decay" or warmup + 4 <= total


cases = [rates(*k, w, t) for k in KINDS for w, t in RUNS if defined(k[0], w, t)]
OUT.parent.mkdir(parents=True, exist_ok=True)
text = ",\n".join(json.dumps(c) for c in cases)
OUT.write_text(f'{{"reference": "transformers {transformers.__version__}", "cases": [\n{text}\n]}}\n')
