#!/usr/bin/env python3
"""Writes tests/data/smollm2/golden.json: 20 training steps of SmolLM2-135M as transformers computes them in fp32.

    smollm2_goldens.py [MODEL [OUT]]     (default: .deps/models/smollm2-135m, tests/data/smollm2/golden.json)

The run, which `ilt train` repeats with --no-shuffle:
  data       the first 160 rows of examples/data/gsm8k.jsonl in file order, 8 a step
  tokens     the model's chat template; supervised are each assistant turn's content and its <|im_end|>, not the newline
  loss       sum of the cross-entropies of all supervised shifted targets of the step / their number
  optimizer  AdamW, betas 0.9/0.95, eps 1e-8, weight decay 0; gradients clipped at a global norm of 1
  schedule   learning rate 1e-5, cosine over 20 steps after 2 steps of warmup, exactly as transformers'
             get_cosine_schedule_with_warmup: step k = 0, 1, ... is taken with lr = lambda(k), so the first with 0:
             lambda(k) = k/2 for k < 2, else 0.5 * (1 + cos(pi * (k - 2) / 18))

golden.json: the options under "run"; under "steps", for each step: step (from 1), lr (the one the step was taken with),
loss, grad_norm (before clipping), tokens, targets (supervised shifted ones), ids_crc32 (of the step's token ids, each a
little-endian int32, sample after sample), labels_crc32 (likewise, -100 where not supervised). Under "score": the
log-probabilities of the first row's tokens from the second on, before training and after.

Each row runs by itself, without padding. Needs torch and transformers (tools/requirements/parity.txt); about ten minutes.
"""
import json
import os
import pathlib
import sys
import time
import zlib

os.environ["HF_HUB_OFFLINE"] = "1"
import numpy as np  # noqa: E402
import torch  # noqa: E402
from transformers import AutoModelForCausalLM, AutoTokenizer, get_cosine_schedule_with_warmup  # noqa: E402
from transformers.utils import logging  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = "examples/data/gsm8k.jsonl"
STEPS, BATCH, WARMUP, LEARNING_RATE, CLIP = 20, 8, 2, 1e-5, 1.0
START, END = "<|im_start|>", "<|im_end|>"


def tokenize(tokenizer, messages):
    """Token ids and labels of a chat, by the offsets of the rendered text."""
    text = tokenizer.apply_chat_template(messages, tokenize=False)
    encoded = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    spans, place = [], 0
    for message in messages:
        begin = text.index(f"{START}{message['role']}\n{message['content']}{END}", place)
        begin += len(START) + len(message["role"]) + 1
        place = begin + len(message["content"]) + len(END)
        if message["role"] == "assistant":
            spans.append((begin, place))
    ids = encoded["input_ids"]
    labels = [token if any(b <= start and end <= e for b, e in spans) else -100
              for token, (start, end) in zip(ids, encoded["offset_mapping"])]
    return ids, labels


def crc32(rows):
    return zlib.crc32(np.concatenate([np.asarray(r, dtype="<i4") for r in rows]).tobytes())


def row_loss(model, ids, labels):
    """The sum over the row's supervised shifted targets."""
    logits = model(input_ids=torch.tensor([ids])).logits[0, :-1].float()
    return torch.nn.functional.cross_entropy(logits, torch.tensor(labels[1:]), ignore_index=-100, reduction="sum")


def score(model, ids):
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([ids])).logits[0, :-1].float()
    return torch.log_softmax(logits, -1).gather(1, torch.tensor(ids[1:])[:, None])[:, 0].tolist()


def train(model, samples, report=print):
    """The run that the docstring describes; a list with one dictionary a step."""
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.0)
    schedule = get_cosine_schedule_with_warmup(optimizer, WARMUP, STEPS)
    steps = []
    for k in range(STEPS):
        begin = time.time()
        rows = samples[k * BATCH:(k + 1) * BATCH]
        targets = sum(label != -100 for _, labels in rows for label in labels[1:])
        optimizer.zero_grad()
        loss = 0.0
        for ids, labels in rows:
            part = row_loss(model, ids, labels) / targets
            part.backward()
            loss += part.item()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP).item()
        lr = schedule.get_last_lr()[0]
        optimizer.step()
        schedule.step()
        steps.append({"step": k + 1, "lr": lr, "loss": loss, "grad_norm": norm, "samples": len(rows),
                      "tokens": sum(len(ids) for ids, _ in rows), "targets": targets,
                      "ids_crc32": crc32([ids for ids, _ in rows]), "labels_crc32": crc32([lb for _, lb in rows])})
        report(f"step {k + 1:2d} lr {lr:.3e} loss {loss:.6f} norm {norm:.5f} {time.time() - begin:.1f} s", flush=True)
    return steps


def load(model_folder):
    tokenizer = AutoTokenizer.from_pretrained(model_folder)
    with open(ROOT / DATA, encoding="utf-8") as file:
        rows = [json.loads(line)["messages"] for line in list(file)[:STEPS * BATCH]]
    model = AutoModelForCausalLM.from_pretrained(model_folder, dtype=torch.float32, attn_implementation="sdpa")
    return model, [tokenize(tokenizer, row) for row in rows]


def main():
    model_folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / ".deps/models/smollm2-135m"
    out = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "tests/data/smollm2/golden.json"
    logging.disable_progress_bar()
    torch.manual_seed(0)
    model, samples = load(model_folder)
    first = samples[0][0]
    before = score(model, first)
    steps = train(model, samples)
    golden = {
        "run": {"data_path": DATA, "effective_batch_size": BATCH, "max_steps": STEPS, "shuffle": False,
                "learning_rate": LEARNING_RATE, "lr_scheduler": "cosine", "warmup_steps": WARMUP, "max_grad_norm": CLIP,
                "adamw_beta1": 0.9, "adamw_beta2": 0.95, "adamw_eps": 1e-8, "adamw_weight_decay": 0.0},
        "steps": steps,
        "score": {"ids": first, "labels": samples[0][1], "logprobs_before": before,
                  "logprobs_after": score(model, first)},
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(golden, indent=1)
    out.write_text(text + "\n")
    print(f"wrote {out}")


if __name__ == "__main__":
    main()
