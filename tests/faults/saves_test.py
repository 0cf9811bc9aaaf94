"""Breaks saves at every system call, and kills runs at random instants: the newest state is always whole, and runs go on.

usage: saves_test.py ILT SHIM_SO TINY_MODEL [--every N] [--kills N]

A run saves its full state and its model at each step. First, one call on a file of its output folder fails (full disk,
input/output error, short write) or the process dies just before or after it: every call in turn, or every N-th one. Then
runs are killed at random instants, with packing, several micro-batches a step, warmup, validation and noise, saving while
they wait and in the background. Each time `ilt train` goes on in the same folder: its losses and final weights are those
of a run that nothing happened to, bit for bit.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

KINDS = ("ENOSPC", "EIO", "short", "kill", "killed")
METRICS = "training_params_and_metrics_global0.jsonl"


class Harness:
    def __init__(self, ilt: Path, shim: Path, model: Path, scratch: Path) -> None:
        self.ilt, self.shim, self.model, self.scratch = ilt, shim, model, scratch
        self.out = scratch / "out"
        self.problems = 0
        self.options: dict[str, object] = {}

    def command(self, steps: int) -> list[str]:
        # fmt: off
        options = {"model-path": self.model, "data-path": f"{self.model}.jsonl", "ckpt-output-dir": self.out, "seed": 3,
                   "effective-batch-size": 2, "max-seq-len": 128, "max-batch-len": 256, "learning-rate": 1e-3,
                   "num-threads": 1, "save-every-steps": 1, "save-samples": 2, "keep-last": 2, "max-steps": steps}
        # fmt: on
        return [str(self.ilt), "train", *(f"--{name}={value}" for name, value in (options | self.options).items())]

    def start(self, steps: int, **environment: object) -> subprocess.Popen:
        env = os.environ | {name: str(value) for name, value in environment.items()}
        return subprocess.Popen(self.command(steps), env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def run(self, steps: int, **environment: object) -> tuple[int, str]:
        process = self.start(steps, **environment)
        _, errors = process.communicate(timeout=120)
        return process.returncode, errors

    def result(self) -> tuple[list, bytes, list]:
        """The losses by step (the last record of each), the final weights, what is there, what LATEST and BEST say."""
        lines = [json.loads(line) for line in (self.out / METRICS).read_text(encoding="utf-8").splitlines()]
        losses = {line["step"]: line["avg_loss"] for line in lines if "avg_loss" in line}
        losses |= {f"validation {line['step']}": line["val_loss"] for line in lines if "val_loss" in line}
        states = [path for path in (self.out / "full_state").glob("step_*") if path.name[5:].isdigit()]
        newest = max(states, key=lambda path: int(path.name[5:]))
        there = sorted(str(path.relative_to(self.out)) for folder in ("full_state", "hf_format")
                       for path in (self.out / folder).rglob("*"))
        there += [path.read_text(encoding="utf-8") for path in sorted(self.out.glob("*/[BL]*")) if path.is_file()]
        return sorted(losses.items(), key=str), (newest / "weights.safetensors").read_bytes(), there

    def whole_run(self, steps: int) -> tuple[list, bytes, list]:
        shutil.rmtree(self.out, ignore_errors=True)
        code, errors = self.run(steps)
        if code != 0:
            sys.exit(f"the undisturbed run failed: {errors}")
        return self.result()

    def check(self, what: str, condition: object, detail: str = "") -> None:
        if not condition:
            self.problems += 1
            print(f"{what}: {detail}", flush=True)

    def go_on(self, what: str, steps: int, expected: tuple[list, bytes, list]) -> None:
        code, errors = self.run(steps)
        self.check(what, code == 0, f"going on failed: {errors[-300:]}")
        if code == 0:
            found = self.result()
            self.check(what, found[:2] == expected[:2], "other losses or weights than the undisturbed run")
            more, fewer = set(found[2]) - set(expected[2]), set(expected[2]) - set(found[2])
            self.check(what, found[2] == expected[2], f"more than the undisturbed run: {more}, less: {fewer}")
        self.check(what, "is passed over" not in errors, f"a state was not whole: {errors[-400:]}")

    def break_calls(self, every: int) -> None:
        steps = 3
        self.options = {"keep-models": 1, "keep-last": 1}
        expected = self.whole_run(steps)
        shutil.rmtree(self.out)
        count = self.scratch / "count"
        fault = {"LD_PRELOAD": self.shim, "FAULT_ROOT": self.out}
        code, errors = self.run(steps, FAULT_AT=0, FAULT_KIND="EIO", FAULT_COUNT=count, **fault)
        calls = int(count.read_text())
        if code != 0 or calls < 20:
            sys.exit(f"counting calls failed: {calls} calls, {errors}")
        runs = 0
        for at in range(1, calls + 1):
            for number, kind in enumerate(KINDS):
                if (at * len(KINDS) + number) % every:
                    continue
                runs += 1
                what = f"{kind} at call {at}"
                shutil.rmtree(self.out, ignore_errors=True)
                code, errors = self.run(steps, FAULT_AT=at, FAULT_KIND=kind, **fault)
                if kind in ("ENOSPC", "EIO"):
                    self.check(what, code in (0, 1), f"exit {code}: {errors[-300:]}")
                    lines = [line for line in errors.splitlines() if line.startswith("ilt: error: ")]
                    self.check(what, code == 0 or len(lines) == 1, f"{len(lines)} errors: {errors[-300:]}")
                    left = [path.name for path in self.out.rglob("*.tmp-*")] if self.out.exists() else []
                    # What could not be removed is removed by the next run.
                    self.check(what, code == 0 or not left, f"left behind: {left}")
                else:
                    self.check(what, code == (0 if kind == "short" else -9), f"exit {code}: {errors[-300:]}")
                self.go_on(what, steps, expected)
        print(f"{runs} of {calls * len(KINDS)} faults at {calls} calls", flush=True)

    def kill(self, kills: int, **options: object) -> None:
        steps = 16
        data = self.scratch / "data.jsonl"
        with data.open("w", encoding="utf-8") as file:
            for i in range(13):
                record = {"prompt": f"question {i * 37 % 101}" * (1 + i % 3), "completion": f"answer {i * i}" * (1 + i % 4)}
                file.write(json.dumps(record) + "\n")
        # fmt: off
        self.options = {"data-path": data, "effective-batch-size": 4, "max-batch-len": 130, "warmup-steps": 5,
                        "validation-split": 0.2, "validation-frequency": 3, "neftune-alpha": 5, "save-every-steps": 1,
                        "save-samples": 12, "save-best": "true", "keep-models": 2}
        # fmt: on
        self.options |= {name.replace("_", "-"): value for name, value in options.items()}
        expected = self.whole_run(steps)
        rng = random.Random(5)
        done = 0
        while done < kills:
            shutil.rmtree(self.out, ignore_errors=True)
            while done < kills:
                process = self.start(steps)
                while process.poll() is None and not (self.out / METRICS).exists():
                    time.sleep(0.002)
                time.sleep(rng.random() * 0.25)
                process.kill()
                _, errors = process.communicate()
                done += process.returncode == -9
                self.check(f"kill {done}", "is passed over" not in errors, errors[-400:])
                if process.returncode == 0:
                    break
            self.go_on(f"after kill {done}", steps, expected)
        print(f"{done} kills, {options or 'no background saves'}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ilt", type=Path)
    parser.add_argument("shim", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--kills", type=int, default=200)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ilt-faults-") as scratch:
        harness = Harness(arguments.ilt, arguments.shim, arguments.model, Path(scratch))
        harness.break_calls(arguments.every)
        for options in ({}, {"background_save": "wait"}, {"background_save": "skip"}):
            harness.kill((arguments.kills + 2) // 3, **options)
    sys.exit(harness.problems > 0)


if __name__ == "__main__":
    main()
