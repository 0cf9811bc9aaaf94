"""The steps of cases about config.json and weights: scoring, refusing, and what an export holds."""

import json
import shutil
import struct
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from steps import FILES, Case, Word, expect, json_lines
from training import names, train

SCORE_IDS = FILES / "_common/score_ids.jsonl"
BASE = "../_common/base.expected.json"
TOLERANCE = 1e-4


def build(case: Case, merge: str) -> Path:
    """The case's model with this change to its config.json, or as it is."""
    if not merge:
        return case.model
    folder = case.new_output()
    subprocess.run(
        [sys.executable, FILES / "_common/build_case.py", case.folder, folder, "--merge", merge],
        check=True,
        capture_output=True,
    )
    return folder / "model"


def read_header(file: Path) -> dict:
    data = file.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    return json.loads(data[8 : 8 + size])


def score(case: Case, model: Path, expected: str, what: str) -> None:
    """Compares `ilt score` with the log-probabilities of expected.json."""
    result = case.succeed("score", "--model-path", model, "--input", SCORE_IDS, "--num-threads", 1)
    (got,) = json_lines(result.stdout)
    want = json.loads((case.folder / expected).read_text(encoding="utf-8"))["logprobs"]
    expect(len(got["logprobs"]) == len(want), f"{what}: {len(got['logprobs'])} log-probabilities")
    worst = max(abs(g - w) for g, w in zip(got["logprobs"], want))
    expect(worst < TOLERANCE, f"{what}: a log-probability is off by {worst}")


@dataclass(frozen=True)
class Score:
    """The model gives the log-probabilities of expected.json."""

    data: str = ""  # a change to config.json ("config.merge.X.json")
    expected: str = BASE
    weights: str = ""  # a file in the scratch folder to take in place of the model's

    def run(self, case: Case) -> None:
        model = build(case, self.data)
        if self.weights:
            shutil.copyfile(case.scratch / self.weights, model / "model.safetensors")
        score(case, model, self.expected, self.data or "the model")


@dataclass(frozen=True)
class RefuseModel:
    """Scoring fails with one line that holds the words; so does training, where there are rows."""

    data: str = ""
    words: tuple[Word, ...] = ()
    weights: str = ""  # a pattern of files in the scratch folder: each in turn takes the place of the model's
    count: int = 1  # of those files

    def run(self, case: Case) -> None:
        model = build(case, self.data)
        if not self.weights:
            return self.refuse(case, model, self.words)
        files = sorted(case.scratch.glob(self.weights))
        expect(len(files) == self.count, f"{len(files)} files are {self.weights}, expected {self.count}")
        for file in files:
            shutil.copyfile(file, model / "model.safetensors")
            self.refuse(case, model, ("model.safetensors", *self.words))

    def refuse(self, case: Case, model: Path, words: tuple[Word, ...]) -> None:
        result = case.run("score", "--model-path", model, "--input", SCORE_IDS)
        expect(result.code == 1, f"exit {result.code}, expected 1: {result.last_line}")
        expect(len(result.errors) == 1, f"errors: {result.errors}")
        for word in words:
            choices = (word,) if isinstance(word, str) else word
            expect(any(choice in result.errors[0] for choice in choices), f"no {word!r} in: {result.errors[0]}")


@dataclass(frozen=True)
class TrainedExport:
    """One step of training: the saved model's tensors, config.json and metadata."""

    data: str = "../C09/rows.jsonl"
    set: dict[str, object] = field(default_factory=dict)
    shapes: dict[str, list[int]] = field(default_factory=dict)
    absent: str = ""  # in no tensor's name
    tensors: int = 0
    config: dict[str, object] = field(default_factory=dict)
    metadata: dict[str, str] = field(default_factory=lambda: {"format": "pt"})
    expected: str = ""  # the log-probabilities, which a step at a rate of almost nothing leaves as they are

    def run(self, case: Case) -> None:
        output = case.new_output()
        options = {"max-steps": 1, "effective-batch-size": 1, "learning-rate": 1e-12}
        result = train(case, self.data, output, options | self.set)
        expect(result.code == 0, f"exit {result.code}, expected 0: {result.last_line}")
        saved = output / "hf_format" / names(output / "hf_format")[-1]
        header = read_header(saved / "model.safetensors")
        metadata = header.pop("__metadata__", {})
        expect(metadata == self.metadata, f"the metadata are {metadata}")
        for name, shape in self.shapes.items():
            expect(header[name]["shape"] == shape, f"{name} is {header[name]['shape']}")
        expect(not self.absent or not any(self.absent in name for name in header), f"{self.absent} is in the export")
        expect(self.tensors in (0, len(header)), f"{len(header)} tensors, expected {self.tensors}")
        config = json.loads((saved / "config.json").read_text(encoding="utf-8"))
        for key, value in self.config.items():
            expect(key in config and config[key] == value, f"config.json: {key} is {config.get(key)!r}")
        if self.expected:
            score(case, saved, self.expected, "the export")


@dataclass(frozen=True)
class Generate:
    """`ilt generate` gives this text, greedily."""

    data: str = ""  # the prompt
    text: str = ""

    def run(self, case: Case) -> None:
        args = ["--model-path", case.model, "--prompt", self.data, "--max-new-tokens", 8]
        result = case.succeed("generate", *args)
        expect(result.stdout.strip() == self.text, f"generated {result.stdout!r}, expected {self.text!r}")
