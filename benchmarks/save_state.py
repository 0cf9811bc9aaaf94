#!/usr/bin/env python3
"""Measures saves of a full state of SmolLM2-135M (1.6 GB): against dd on the same disk, and what they cost the loop.

    save_state.py [--pairs 5] [--runs 3] [--threads 2] [--folder FOLDER]

In each pair a run of two steps saves its state, and dd writes as many bytes with fsync and with O_DIRECT to the same
folder. libilt's time is that between its log lines: finite check, checksums, writing, fsync, rename. Then runs of equal
steps of 1024 tokens a thread, one without saves and one that saves in the background after every fourth step, in turn:
what the steps after a save take more than the same steps without; and for how much of that the run's threads had no
processor, in sum. Where they take all cores, that holds what the disk's driver takes of them: a third run, in which dd
writes as many bytes instead, at the lowest priority and past the page cache, tells how much. Peak memory is the process's
resident set.
"""

import argparse
import json
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
MODEL = ROOT / ".deps/models/smollm2-135m"
ILT = ROOT / "build/bin/ilt"
METRICS = "training_params_and_metrics_global0.jsonl"


def write_data(path):
    """Samples of the same length, so that all steps have the same work."""
    rng = random.Random(1)
    with open(path, "w", encoding="utf-8") as file:
        for _ in range(64):
            ids = [rng.randrange(1000, 40000) for _ in range(512)]
            file.write(json.dumps({"input_ids": ids, "labels": ids}) + "\n")


class Waits:
    """How long the threads of the run, which are there when the first step ends, were ready but had no processor."""

    def __init__(self, pid):
        self.tasks, self.of_step, self.before = pathlib.Path(f"/proc/{pid}/task"), {}, None
        self.threads = ()

    def note(self, step):
        self.threads = self.threads or tuple(self.tasks.iterdir())
        waited = [int((thread / "schedstat").read_text().split()[1]) / 1e9 for thread in self.threads]
        if self.before:
            self.of_step[step] = sum(waited) - sum(self.before)
        self.before = waited


def train(out, steps, threads=2, told=lambda step: None, **options):
    """The step records and log lines (with the second each came at) of a run, and its peak memory in bytes."""
    shutil.rmtree(out, ignore_errors=True)
    # fmt: off
    options = {"model-path": MODEL, "data-path": out.with_name("data.jsonl"), "ckpt-output-dir": out, "seed": 1,
               "effective-batch-size": 2 * threads, "max-seq-len": 512, "max-batch-len": 1024 * threads,
               "learning-rate": 1e-5, "max-steps": steps, "num-threads": threads, "checkpoint-at-epoch": "false",
               "full-state-at-epoch": "false", "keep-last": 1} | options
    # fmt: on
    command = [str(ILT), "train", *(f"--{name.replace('_', '-')}={value}" for name, value in options.items())]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    lines, waits = [], Waits(child.pid)
    for line in child.stderr:
        lines.append((time.monotonic(), line.strip()))
        if step := re.match(r"step (\d+)/", line):
            waits.note(int(step[1]))
            told(int(step[1]))
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit("\n".join(line for _, line in lines[-5:]))
    records = [json.loads(line) for line in (out / METRICS).read_text(encoding="utf-8").splitlines()]
    return [r for r in records if "avg_loss" in r], lines, usage.ru_maxrss * 1024, waits.of_step


def dd(folder, megabytes, *flags):
    path = folder / "dd.bin"
    start = time.monotonic()
    subprocess.run(["dd", "if=/dev/zero", f"of={path}", "bs=1M", f"count={megabytes}", "conv=fsync", *flags],
                   check=True, stderr=subprocess.DEVNULL)
    seconds = time.monotonic() - start
    path.unlink()
    return seconds


def row(name, values, unit):
    print(f"{name}: {min(values):.2f}/{statistics.median(values):.2f}/{max(values):.2f} {unit} (min/median/max)", flush=True)


def measure_throughput(folder, pairs):
    saves, plain, direct = [], [], []
    for _ in range(pairs):
        _, lines, _, _ = train(folder / "out", 2, save_every_steps=1)
        step = next(at for at, line in lines if line.startswith("step 1/"))
        saved = next(at for at, line in lines if re.match(r"saved .*step_1$", line))
        size = sum(p.stat().st_size for p in (folder / "out/full_state").rglob("*") if p.is_file())
        saves.append(size / (saved - step) / 1e6)
        plain.append(size / dd(folder, size >> 20) / 1e6)
        direct.append(size / dd(folder, size >> 20, "oflag=direct") / 1e6)
    row(f"full state of {size / 1e6:.0f} MB", saves, "MB/s")
    row("dd conv=fsync", plain, "MB/s")
    row("dd oflag=direct", direct, "MB/s")
    for name, other in (("conv=fsync", plain), ("oflag=direct", direct)):
        print(f"ratio of the medians to dd {name}: {statistics.median(saves) / statistics.median(other):.2f}", flush=True)


class Disk:
    """Writes as many bytes as a save does where one would be, in a process of the lowest priority."""

    def __init__(self, folder, size, steps):
        self.path, self.size, self.steps, self.child = folder / "dd.bin", size, steps, None

    def __call__(self, step):
        if step not in self.steps:
            return
        self.wait()
        count = f"count={self.size >> 24}"
        self.child = subprocess.Popen(["nice", "-n", "19", "dd", "if=/dev/zero", f"of={self.path}", "bs=16M", count,
                                       "oflag=direct", "conv=fsync"], stderr=subprocess.DEVNULL)

    def wait(self):
        if self.child:
            self.child.wait()
            self.path.unlink()


def more(later, earlier, steps):
    """Of the sums over the given steps."""
    return sum(later[at] for at in steps) - sum(earlier[at] for at in steps)


def measure_background(folder, runs, threads, every=4):
    """Runs without and with background saves, and with dd, in turn: what a save adds to the steps until the next one."""
    steps = 3 * every + 1
    plain, shares, extra, copies, waited, of_disk, peaks = [], [], [], [], [], [], {}
    for _ in range(runs):
        records, _, peaks["no saves"], idle = train(folder / "out", steps, threads)
        without = [r["step_seconds"] for r in records]
        options = {"save_every_steps": every, "background_save": "wait"}
        records, lines, peaks["background saves"], busy = train(folder / "out", steps, threads, **options)
        seconds = [r["step_seconds"] for r in records]
        size = sum(p.stat().st_size for p in next((folder / "out/full_state").glob("step_*")).iterdir())
        disk = Disk(folder, size, range(every, steps, every))
        _, _, _, writing = train(folder / "out", steps, threads, disk)
        disk.wait()
        step = statistics.median(without[1:])
        plain += without[1:]
        for begin in range(every, steps - 1, every):
            extra.append(sum(seconds[begin : begin + every]) - sum(without[begin : begin + every]))
            shares.append(extra[-1] / step)
            after = range(begin + 1, begin + every + 1)
            waited.append(more(busy, idle, after) / step)
            of_disk.append(more(writing, idle, after) / step)
        # From the end of a step to that of the next, less the next one: what the loop waits for besides.
        ends = {int(re.match(r"step (\d+)/", line)[1]): at for at, line in lines if re.match(r"step \d+/", line)}
        copies += [ends[at + 1] - ends[at] - seconds[at] for at in range(every, steps - 1, every)]
    _, _, peaks["blocking saves"], _ = train(folder / "out", 2, threads, save_every_steps=1)
    row("step without a save", plain, "s")
    row("copy", copies, "s")
    row(f"what a save adds to the {every} steps after it, besides the copy", extra, "s")
    row("the same as a share of a step", [100 * share for share in shares], "%")
    row("of which the run's threads waited for a processor", [100 * share for share in waited], "%")
    row("the same where dd writes instead", [100 * share for share in of_disk], "%")
    for name, peak in sorted(peaks.items()):
        print(f"peak memory, {name}: {peak / 1e9:.2f} GB")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2, help="of the runs with background saves")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder, prefix="save-") as scratch:
        write_data(pathlib.Path(scratch) / "data.jsonl")
        if arguments.pairs:
            measure_throughput(pathlib.Path(scratch), arguments.pairs)
        measure_background(pathlib.Path(scratch), arguments.runs, arguments.threads)


if __name__ == "__main__":
    main()
