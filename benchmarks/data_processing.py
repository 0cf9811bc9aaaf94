#!/usr/bin/env python3
"""Measures `ilt data process` against Python's `tokenizers.encode_batch` on the same chat data, in interleaved pairs.

    data_processing.py [--pairs 5] [--megabytes 100] [--threads 2] [--flat]

libilt's time is that of the whole command: reading, JSON, chat template, tokens, masks, writing. encode_batch gets the
rendered texts from memory, and only its own time counts. The data are conversations of sentences drawn by a fixed seed
from examples/data. Peak memory is the process's resident set; --flat runs libilt once more on four times the data.
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
MODEL = ROOT / ".deps/models/smollm2-135m"
ILT = ROOT / "build/bin/ilt"


def sentences():
    found = []
    for name in ("gsm8k", "self_instruct", "tool_calls"):
        with open(ROOT / f"examples/data/{name}.jsonl", encoding="utf-8") as file:
            for line in file:
                for message in json.loads(line)["messages"]:
                    found += [s for s in message.get("content", "").replace("\n", "\n\0").split("\0") if s.strip()]
    return found


def write_data(path, megabytes):
    rng, pool = random.Random(1), sentences()
    text = lambda most: " ".join(rng.choice(pool) for _ in range(rng.randint(1, most)))  # noqa: E731
    with open(path, "w", encoding="utf-8") as file:
        while file.tell() < megabytes * 1e6:
            messages = [{"role": "system", "content": text(2)}] if rng.random() < 0.3 else []
            for _ in range(rng.choice((1, 1, 2, 4))):
                messages += [{"role": "user", "content": text(4)}, {"role": "assistant", "content": text(8)}]
            file.write(json.dumps({"messages": messages}, ensure_ascii=False) + "\n")


def run_child(command, environment=None):
    """Output, wall seconds, CPU seconds and peak memory (bytes) of a command."""
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                             env={**os.environ, **(environment or {})})
    output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"{command[0]} failed")
    return output, time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def ilt(data, folder, threads):
    out = folder / "out.safetensors"
    out.unlink(missing_ok=True)
    _, seconds, cpu, memory = run_child([str(ILT), "data", "process", "--model-path", str(MODEL), "--data-path", str(data),
                                         "--output", str(out), "--num-threads", str(threads), "--log-level", "off"])
    stats = json.loads(run_child([str(ILT), "data", "stats", "--data-path", str(out), "--json"])[0])
    return {"tokens": stats["tokens"], "seconds": seconds, "cpu": cpu, "memory": memory}


def encode_batch(data):
    """Runs in a process of its own: renders ChatML as the template does, times encode_batch alone."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(MODEL / "tokenizer.json"))
    system = "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n"
    texts, tokens, seconds, cpu = [], 0, 0.0, 0.0

    def encode():
        nonlocal tokens, seconds, cpu
        start, start_cpu = time.monotonic(), time.process_time()
        encodings = tokenizer.encode_batch(texts, add_special_tokens=False)
        seconds, cpu = seconds + time.monotonic() - start, cpu + time.process_time() - start_cpu
        tokens += sum(len(e.ids) for e in encodings)
        texts.clear()

    with open(data, encoding="utf-8") as file:
        for line in file:
            messages = json.loads(line)["messages"]
            text = "" if messages[0]["role"] == "system" else system
            texts.append(text + "".join(f"<|im_start|>{m['role']}\n{m['content']}<|im_end|>\n" for m in messages))
            if len(texts) == 2000:
                encode()
    encode()
    print(json.dumps({"tokens": tokens, "seconds": seconds, "cpu": cpu}))


def python(data, threads):
    output, _, _, memory = run_child([sys.executable, __file__, "--encode", str(data)],
                                     {"RAYON_NUM_THREADS": str(threads), "TOKENIZERS_PARALLELISM": "true"})
    return {**json.loads(output), "memory": memory}


def show(name, runs, key, scale, unit):
    values = sorted(run["tokens"] / run[key] / scale if key != "memory" else run[key] / scale for run in runs)
    print(f"{name:14} {values[0]:8.2f} {statistics.median(values):8.2f} {values[-1]:8.2f}  {unit}")
    return statistics.median(values)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--megabytes", type=float, default=100)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--flat", action="store_true")
    parser.add_argument("--encode", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.encode:
        return encode_batch(arguments.encode)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        data = folder / "data.jsonl"
        write_data(data, arguments.megabytes)
        ours, theirs = [], []
        for _ in range(arguments.pairs):
            ours.append(ilt(data, folder, arguments.threads))
            theirs.append(python(data, arguments.threads))
            if ours[-1]["tokens"] != theirs[-1]["tokens"]:
                sys.exit(f"not the same tokens: {ours[-1]['tokens']} and {theirs[-1]['tokens']}")
        print(f"{ours[0]['tokens']} tokens, {arguments.threads} threads; min, median, max")
        a = show("libilt", ours, "seconds", 1e6, "million tokens a second")
        b = show("encode_batch", theirs, "seconds", 1e6, "million tokens a second")
        c = show("libilt", ours, "cpu", 1e6, "million tokens a CPU second")
        d = show("encode_batch", theirs, "cpu", 1e6, "million tokens a CPU second")
        show("libilt", ours, "memory", 1e6, "MB at most")
        print(f"ratio of medians: {a / b:.2f} in wall time, {c / d:.2f} in CPU time")
        if arguments.flat:
            write_data(data, 4 * arguments.megabytes)
            print(f"libilt on four times the data: {ilt(data, folder, arguments.threads)['memory'] / 1e6:.0f} MB at most")


if __name__ == "__main__":
    main()
