"""The steps of cases about runs: training, stopping, going on, and what is left on the disk."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from steps import Case, Result, Step, expect, expect_words

# The run that the cases share.
BASE = {
    "effective-batch-size": 4,
    "num-epochs": 3,
    "learning-rate": 1e-3,
    "lr-scheduler": "constant",
    "max-seq-len": 128,
    "max-batch-len": 256,
    "num-threads": 1,
}
METRICS = "training_params_and_metrics_global0.jsonl"


def train(case: Case, data: str, output: Path, options: dict[str, object]) -> Result:
    flags = [f"--{name}={value}" for name, value in (BASE | options).items()]
    paths = [f"--model-path={case.model}", f"--data-path={case.file(data)}", f"--ckpt-output-dir={output}"]
    return case.run("train", *paths, "--no-shuffle", *flags)


def steps_of(output: Path) -> list[dict]:
    """The last record of each optimizer step: a run that went on wrote some of them again."""
    lines = [json.loads(line) for line in (output / METRICS).read_text(encoding="utf-8").splitlines()]
    return list({line["step"]: line for line in lines if "avg_loss" in line}.values())


def names(folder: Path) -> list[str]:
    found = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    return sorted((name for name in found if name != "LATEST"), key=lambda name: (len(name), name))


def final_weights(output: Path) -> bytes:
    last = names(output / "hf_format")[-1]
    return (output / "hf_format" / last / "model.safetensors").read_bytes()


def expect_close(got: float, want: float, tolerance: float, what: str) -> None:
    expect(abs(got - want) <= tolerance * max(1.0, abs(want)), f"{what} is {got}, expected {want}")


def compare_steps(case: Case, got: list[dict], first: int = 0, tolerance: float = 1e-4) -> None:
    want = json.loads((case.folder / "expected.json").read_text(encoding="utf-8"))["steps"][first:]
    expect(len(got) == len(want), f"{len(got)} steps, expected {len(want)}")
    for number, (g, w) in enumerate(zip(got, want), first + 1):
        expect(g["step"] == number, f"step {g['step']} stands where step {number} should")
        expect_close(g["avg_loss"], w["loss"], tolerance, f"the loss of step {number}")
        expect_close(g["gradnorm"], w["grad_norm"], tolerance, f"the gradient norm of step {number}")
        counts = (g["num_loss_counted_tokens"], g["batch_size"])
        expect(counts == (w["loss_tokens"], w["samples"]), f"step {number} counts {counts}")


@dataclass(frozen=True)
class Train(Step):
    """A run ends well, with the steps of expected.json, the named states and models."""

    set: dict[str, object] = field(default_factory=dict)
    compare: bool = True
    states: tuple[str, ...] | None = None
    models: tuple[str, ...] | None = None
    said: tuple[str, ...] = ()

    def run(self, case: Case) -> None:
        output = case.new_output()
        result = train(case, self.data, output, self.set)
        expect(result.code == 0, f"exit {result.code}, expected 0: {result.last_line}")
        if self.compare:
            compare_steps(case, steps_of(output))
        for folder, want in (("full_state", self.states), ("hf_format", self.models)):
            got = tuple(names(output / folder))
            expect(want is None or got == want, f"{folder} holds {got}, expected {want}")
        expect_words(result.stderr, self.said, "the log")


@dataclass(frozen=True)
class Resume(Step):
    """From each state but the last, the run goes on with the losses and final weights of the whole run, bit for bit."""

    def run(self, case: Case) -> None:
        whole = case.new_output()
        result = train(case, self.data, whole, {"save-every-steps": 1, "keep-last": 0})
        expect(result.code == 0, f"exit {result.code}: {result.last_line}")
        records = steps_of(whole)
        compare_steps(case, records)
        expect(records[-1]["samples_seen"] == 24, f"samples_seen is {records[-1]['samples_seen']}")
        for k in range(1, len(records)):
            part = case.new_output()
            shutil.copytree(whole / "full_state", part / "full_state")
            for later in range(k + 1, len(records) + 1):
                shutil.rmtree(part / "full_state" / f"step_{later}")
            result = train(case, self.data, part, {"save-every-steps": 1, "keep-last": 0})
            expect(result.code == 0, f"from step {k}: exit {result.code}: {result.last_line}")
            got = steps_of(part)
            for key in ("step", "avg_loss", "gradnorm", "samples_seen"):
                pair = [r[key] for r in got], [r[key] for r in records[k:]]
                expect(pair[0] == pair[1], f"from step {k}: {key} is {pair[0]}, expected {pair[1]}")
            expect(final_weights(part) == final_weights(whole), f"from step {k}: other weights")


@dataclass(frozen=True)
class Damage(Step):
    """The newest state is broken: the run goes on from the one before, and says which was passed over and why."""

    breaks: tuple[str, ...] = ("truncate", "flip", "manifest", "foreign")

    @staticmethod
    def harm(kind: str, state: Path) -> str:
        largest = max(state.iterdir(), key=lambda path: path.stat().st_size)
        if kind == "truncate":
            os.truncate(largest, largest.stat().st_size - 1)
        elif kind == "flip":
            data = bytearray(largest.read_bytes())
            data[len(data) // 2] ^= 1
            largest.write_bytes(data)
        elif kind == "manifest":
            (state / "manifest.json").unlink()
        else:
            (state.parent / "step_99").mkdir()
            return "step_99"
        return state.name

    def run(self, case: Case) -> None:
        begun = case.new_output()
        options = {"save-every-steps": 1, "keep-last": 0}
        result = train(case, self.data, begun, options | {"max-steps": 4})
        expect(result.code == 0, f"exit {result.code}: {result.last_line}")
        for kind in self.breaks:
            output = case.new_output()
            shutil.copytree(begun / "full_state", output / "full_state")
            passed_over = self.harm(kind, output / "full_state" / "step_4")
            result = train(case, self.data, output, options)
            expect(result.code == 0, f"{kind}: exit {result.code}: {result.last_line}")
            expect_words(result.stderr, (passed_over, "passed over"), f"{kind}: the log")
            first = 4 if kind == "foreign" else 3
            got = steps_of(output)
            want = json.loads((case.folder.parent / "R01/expected.json").read_text(encoding="utf-8"))["steps"][first:]
            expect(len(got) == len(want), f"{kind}: {len(got)} steps, expected {len(want)}")
            for g, w in zip(got, want):
                expect_close(g["avg_loss"], w["loss"], 1e-4, f"{kind}: the loss of step {g['step']}")


@dataclass(frozen=True)
class FullDisk(Step):
    """The disk is full at a save: one error, the states before stay whole, nothing half written is left."""

    def run(self, case: Case) -> None:
        disk = case.scratch / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", disk], capture_output=True, check=False)
        if mounted.returncode != 0:
            print("not root: no small disk can be had", flush=True)
            return
        try:
            output = disk / "out"
            result = train(case, self.data, output, {"save-every-steps": 1, "keep-last": 5})
            expect(result.code == 1, f"exit {result.code}, expected 1: {result.last_line}")
            expect(len(result.errors) == 1, f"errors: {result.errors}")
            expect("needed" in result.errors[0] or "No space" in result.errors[0], result.errors[0])
            left = [str(path.relative_to(disk)) for path in disk.rglob("*") if ".tmp" in path.name]
            expect(not left, f"left behind: {left}")
            states = names(output / "full_state")
            expect(states != [], "no state was published")
            roomy = case.new_output()
            shutil.copytree(output / "full_state", roomy / "full_state")
            result = train(case, self.data, roomy, {})
            expect(result.code == 0, f"going on: exit {result.code}: {result.last_line}")
            expect(steps_of(roomy)[-1]["step"] == 6, "the run did not go on to its end")
        finally:
            subprocess.run(["umount", disk], check=True)


@dataclass(frozen=True)
class Rates(Step):
    """The learning rates of each schedule in expected.json."""

    def run(self, case: Case) -> None:
        rates = json.loads((case.folder / "expected.json").read_text(encoding="utf-8"))["rates"]
        for name, want in rates.items():
            scheduler, _, warmup, _, steps = name.split()
            output = case.new_output()
            scheduler += "_with_warmup" if scheduler == "constant" and warmup != "0" else ""
            options = {"lr-scheduler": scheduler, "warmup-steps": warmup, "max-steps": steps, "learning-rate": 1}
            options |= {"no-full-state-at-epoch": "true", "max-grad-norm": 1e-9}  # a rate of 1 must not break the model
            result = train(case, self.data, output, options)
            expect(result.code == 0, f"{name}: exit {result.code}: {result.last_line}")
            got = [record["lr"] for record in steps_of(output)]
            expect(len(got) == len(want), f"{name}: {len(got)} steps")
            for g, w in zip(got, want):
                expect(abs(g - w) < 1e-7, f"{name}: rates {got}, expected {want}")
            if int(warmup) >= int(steps):
                expect_words(result.stderr, ("never reached",), f"{name}: the log")


@dataclass(frozen=True)
class Fails(Step):
    """A run ends with one error that holds the words, and nothing is published."""

    words: tuple[str, ...] = ()
    set: dict[str, object] = field(default_factory=dict)
    code: int = 1

    def run(self, case: Case) -> None:
        output = case.new_output()
        result = train(case, self.data, output, self.set)
        expect(result.code == self.code, f"exit {result.code}, expected {self.code}: {result.last_line}")
        expect(len(result.errors) == 1, f"errors: {result.errors}")
        expect_words(result.errors[0], self.words, "the error")
        for folder in ("hf_format", "full_state"):
            expect(not names(output / folder), f"{folder} holds {names(output / folder)}")
