#!/usr/bin/env python3
"""Measures training steps of `ilt train` against transformers, run after run in turn on the same tokens.

    train_step_vs_transformers.py [--pairs 5] [--steps 4] [--threads 2] [--tokens 2048] [--segment 256]
                                  [--reference packed|padded] [--model FOLDER] [--ilt FILE]

Both train SmolLM2-135M in fp32 with AdamW and clipping. A step has --tokens tokens in samples of about --segment tokens
(3/4 to 5/4 of it), of which the last 55 % are supervised. The first step of each run is not counted.

packed   one row with restarting positions: transformers makes a block-diagonal mask, and logits of every position
padded   one row a sample, padded to the longest

Only the ratio counts on a machine that others use: the medians of all pairs, and the least and largest of each.
Needs torch and transformers (tools/requirements/parity.txt).
"""
import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
LEARNING_RATE, SUPERVISED = 1e-5, 0.55


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=2048)
    parser.add_argument("--segment", type=int, default=256)
    parser.add_argument("--reference", choices=("packed", "padded"), default="packed")
    parser.add_argument("--model", type=pathlib.Path, default=ROOT / ".deps/models/smollm2-135m")
    parser.add_argument("--ilt", type=pathlib.Path, default=ROOT / "build/bin/ilt")
    parser.add_argument("--child", help=argparse.SUPPRESS)  # the data file: run the reference on it
    return parser.parse_args()


def write_data(path, o):
    """--steps times as many processed records as make a step; real text, cut to length."""
    from tokenizers import Tokenizer
    tokenizer = Tokenizer.from_file(str(o.model / "tokenizer.json"))
    stream = []
    for line in open(ROOT / "examples/data/gsm8k.jsonl", encoding="utf-8"):
        stream += tokenizer.encode("\n".join(m["content"] for m in json.loads(line)["messages"])).ids
    rng, place = random.Random(1), 0
    count = max(1, o.tokens // o.segment)
    with open(path, "w", encoding="utf-8") as file:
        for _ in range(o.steps):
            lengths, left = [], o.tokens
            for i in range(count, 0, -1):
                mean = left // i
                n = left if i == 1 else rng.randint(mean * 3 // 4, mean * 5 // 4)
                lengths.append(n)
                left -= n
            for n in lengths:
                ids = [stream[(place + j) % len(stream)] for j in range(n)]
                place += n
                masked = n - round(SUPERVISED * n)
                file.write(json.dumps({"input_ids": ids, "labels": [-100] * masked + ids[masked:], "len": n}) + "\n")
    return count


def run(command, threads, log):
    """Runs to the end; peak resident memory in bytes."""
    env = {**os.environ, "OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads), "HF_HUB_OFFLINE": "1"}
    with open(log, "w") as output:
        child = subprocess.Popen([str(c) for c in command], stdout=output, stderr=subprocess.STDOUT, env=env)
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{command[0]} failed:\n{pathlib.Path(log).read_text()[-2000:]}")
    return usage.ru_maxrss * 1024


def run_ilt(o, data, count, folder):
    out = pathlib.Path(tempfile.mkdtemp(dir=folder))
    peak = run([o.ilt, "train", "--model-path", o.model, "--data-path", data, "--ckpt-output-dir", out,
                "--effective-batch-size", count, "--max-batch-len", o.tokens, "--max-seq-len", o.tokens,
                "--max-steps", o.steps, "--learning-rate", LEARNING_RATE, "--lr-scheduler", "constant", "--no-shuffle",
                "--num-threads", o.threads], o.threads, out / "log")
    lines = (out / "training_params_and_metrics_global0.jsonl").read_text().splitlines()
    steps = [r for r in map(json.loads, lines) if "avg_loss" in r]
    return {"seconds": [s["step_seconds"] for s in steps], "tokens": [s["num_tokens_rank0"] for s in steps],
            "losses": [s["avg_loss"] for s in steps], "peak": peak}


def run_reference(o, data, folder):
    log = pathlib.Path(folder) / "reference.log"
    peak = run([sys.executable, __file__, "--child", data, "--reference", o.reference, "--model", o.model,
                "--steps", o.steps, "--threads", o.threads], o.threads, log)
    return {**json.loads(log.read_text().splitlines()[-1]), "peak": peak}


def reference_batch(torch, rows, how):
    if how == "packed":
        labels = [label for r in rows for label in [-100, *r["labels"][1:]]]
        positions = [p for r in rows for p in range(r["len"])]
        return {"input_ids": torch.tensor([[i for r in rows for i in r["input_ids"]]]), "labels": torch.tensor([labels]),
                "position_ids": torch.tensor([positions])}
    width = max(r["len"] for r in rows)

    def pad(values, filler):
        return torch.tensor([v + [filler] * (width - len(v)) for v in values])

    return {"input_ids": pad([r["input_ids"] for r in rows], 2), "labels": pad([r["labels"] for r in rows], -100),
            "attention_mask": pad([[1] * r["len"] for r in rows], 0)}


def reference_child(o):
    import torch
    from transformers import AutoModelForCausalLM
    torch.set_num_threads(o.threads)
    rows = [json.loads(line) for line in open(o.child, encoding="utf-8")]
    model = AutoModelForCausalLM.from_pretrained(o.model, dtype=torch.float32, attn_implementation="sdpa").train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, betas=(0.9, 0.95), weight_decay=0.0)
    count, result = len(rows) // o.steps, {"seconds": [], "tokens": [], "losses": []}
    for step in range(o.steps):
        mine = rows[step * count:(step + 1) * count]
        begin = time.perf_counter()
        loss = model(**reference_batch(torch, mine, o.reference), use_cache=False).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        result["losses"].append(loss.item())
        result["seconds"].append(time.perf_counter() - begin)
        result["tokens"].append(sum(r["len"] for r in mine))
    print("\n" + json.dumps(result))


def speed(result):
    return sum(result["tokens"][1:]) / sum(result["seconds"][1:])


def main():
    o = options()
    if o.child:
        reference_child(o)
        return
    if o.steps < 2:
        sys.exit("--steps is at least 2: the first is not counted")
    sides = {"ilt": [], f"transformers, {o.reference}": []}
    with tempfile.TemporaryDirectory() as folder:
        data = pathlib.Path(folder) / "data.jsonl"
        count = write_data(data, o)
        for pair in range(o.pairs):
            for side, results in sides.items():
                results.append(run_ilt(o, data, count, folder) if side == "ilt" else run_reference(o, data, folder))
                last = results[-1]
                print(f"pair {pair + 1} {side:21s} {speed(last):7.1f} tokens/s {last['peak'] / 1e9:6.2f} GB, losses "
                      + " ".join(f"{x:.4f}" for x in last["losses"]), flush=True)
    print(f"\n{'':21s} tokens/s: min   median      max   peak memory, median")
    medians = []
    for side, results in sides.items():
        speeds = sorted(map(speed, results))
        medians.append(statistics.median(speeds))
        print(f"{side:21s} {speeds[0]:13.1f} {medians[-1]:8.1f} {speeds[-1]:8.1f}   "
              f"{statistics.median(r['peak'] for r in results) / 1e9:.2f} GB")
    print(f"\nratio of the medians of {o.pairs} pairs: {medians[0] / medians[1]:.2f}")


if __name__ == "__main__":
    main()
