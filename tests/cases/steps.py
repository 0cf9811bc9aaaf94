"""The steps that a case's row is made of: each runs the ilt command and raises Failed where the outcome is not as told."""

import json
import os
import re
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path

FILES = Path(__file__).resolve().parent / "files"
TIMEOUT = 120  # seconds a command may take
# A word that may be one of several.
Word = str | tuple[str, ...]


class Failed(Exception):
    """What a case found wrong, in one line."""


def expect(condition: object, message: str) -> None:
    if not condition:
        raise Failed(message)


def expect_words(text: str, words: tuple[Word, ...], where: str) -> None:
    """Each word (or one of its alternatives) is in the text as whole words; case does not matter."""
    for word in words:
        choices = (word,) if isinstance(word, str) else word
        found = any(re.search(rf"(?<!\w){re.escape(choice)}(?!\w)", text, re.IGNORECASE) for choice in choices)
        expect(found, f"{where} lacks {' or '.join(map(repr, choices))}: {text.strip()!r}")


@dataclass
class Result:
    code: int
    stdout: str
    stderr: str
    peak_bytes: int

    @property
    def last_line(self) -> str:
        return self.stderr.strip().split("\n")[-1]

    @property
    def errors(self) -> list[str]:
        return [line for line in self.stderr.split("\n") if line.startswith("ilt: error: ")]


class Case:
    """A case's folder, the model made from it, and a fresh folder for the output of each command."""

    def __init__(self, ilt: Path, name: str, scratch: Path, sanitized: bool, parquet: bool) -> None:
        self.ilt, self.folder, self.scratch = ilt, FILES / name, scratch
        self.sanitized, self.parquet = sanitized, parquet
        self.model = scratch / "model"
        self.outputs = 0
        build = subprocess.run(
            [sys.executable, FILES / "_common/build_case.py", self.folder, scratch],
            capture_output=True,
            text=True,
            check=False,
        )
        expect(build.returncode == 0, f"build_case.py failed: {build.stderr.strip()[-300:]}")

    def file(self, name: str) -> Path:
        """A file of the case; what its make.py wrote lies in the scratch folder."""
        given = self.folder / name
        return given if given.exists() else self.scratch / name

    def expected_rows(self, name: str, times: int) -> list[dict]:
        return json.loads((self.folder / name).read_text(encoding="utf-8"))["rows"] * times

    def new_output(self) -> Path:
        self.outputs += 1
        folder = self.scratch / f"out{self.outputs}"
        folder.mkdir()
        return folder

    def run(self, *args: object, env: dict[str, str] | None = None) -> Result:
        kept = {name: value for name, value in os.environ.items() if name not in ("LANG", "LANGUAGE")}
        kept = {name: value for name, value in kept.items() if not name.startswith("LC_")} | (env or {})
        out, err = self.scratch / "stdout", self.scratch / "stderr"
        with out.open("wb") as stdout, err.open("wb") as stderr:
            process = subprocess.Popen([self.ilt, *map(str, args)], stdout=stdout, stderr=stderr, env=kept)
            killer = threading.Timer(TIMEOUT, process.kill)
            killer.start()
            _, status, usage = os.wait4(process.pid, 0)  # the usage of this child alone
            killer.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
        texts = (path.read_text(encoding="utf-8", errors="backslashreplace") for path in (out, err))
        return Result(process.returncode, *texts, peak_bytes=usage.ru_maxrss * 1024)

    def succeed(self, *args: object, env: dict[str, str] | None = None) -> Result:
        result = self.run(*args, env=env)
        expect(result.code == 0, f"exit {result.code}, expected 0: {result.last_line}")
        return result


def json_lines(text: str) -> list[dict]:
    """The objects of JSON Lines."""
    try:
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    except json.JSONDecodeError as error:
        raise Failed(f"no JSON Lines: {error}") from error


def compare_samples(samples: list[dict], rows: list[dict]) -> None:
    """Ids, labels and text of the samples are those of expected.json's rows."""
    expect(len(samples) == len(rows), f"{len(samples)} samples, expected {len(rows)}")
    for index, (sample, row) in enumerate(zip(samples, rows)):
        expect(sample["index"] == index, f"sample {index}: has the index {sample['index']}")
        for key in ("text", "input_ids", "labels"):
            got, want = sample[key], row[key]
            if got == want:
                continue
            at = next((i for i, (g, w) in enumerate(zip(got, want)) if g != w), min(len(got), len(want)))
            raise Failed(f"sample {index}: {key} differ at {at}: got {got[at : at + 8]!r}, expected {want[at : at + 8]!r}")


def compare_counts(got: dict, want: dict, where: str) -> None:
    for key, value in want.items():
        expect(got.get(key) == value, f"{where}: {key} is {got.get(key)!r}, expected {value!r}")


@dataclass(frozen=True)
class Step:
    data: str  # a file of the case
    options: tuple[str, ...] = ()  # further flags of the command; they come last, so they win
    env: dict[str, str] = field(default_factory=dict)

    def process(self, case: Case, output: Path) -> list[object]:
        lengths = ["--min-seq-len", 1] + ([] if "--max-seq-len" in self.options else ["--max-seq-len", 128])
        paths = ["--model-path", case.model, "--data-path", case.file(self.data), "--output", output]
        return ["data", "process", *paths, *lengths, *self.options]

    def run(self, case: Case) -> None:
        raise NotImplementedError


@dataclass(frozen=True)
class Process(Step):
    """`ilt data process` takes the file; samples, statistics and log are as told."""

    expected: str = "expected.json"  # "" where there is none: then `samples` and `texts` say what to find
    times: int = 1  # that the expected rows occur, one after the other
    samples: int = 0
    texts: tuple[Word, ...] = ()  # each is in every sample's text
    dropped: dict[str, int] = field(default_factory=dict)  # reason: records; no others are dropped
    bad_records: tuple[tuple[Word, ...], ...] = ()  # the words of each one's message
    stats: dict[str, object] = field(default_factory=dict)  # further fields of `ilt data stats`
    said: tuple[Word, ...] = ()  # in the log
    absent: tuple[str, ...] = ()  # in neither texts nor log
    absent_ids: tuple[int, ...] = ()
    peak_megabytes: int = 0

    def run(self, case: Case) -> None:
        output = case.new_output() / "data.safetensors"
        result = case.succeed(*self.process(case, output), env=self.env)
        left = sorted(path.name for path in output.parent.iterdir())
        expect(left == [output.name], f"the output folder holds {left}, expected {[output.name]}")
        rows = case.expected_rows(self.expected, self.times) if self.expected else None
        self.check_samples(case, ["--data-path", output], rows)
        self.check_stats(case, output, rows)
        self.check_log(result, case)

    def check_samples(self, case: Case, source: list[object], rows: list[dict] | None) -> None:
        args = ["data", "inspect", "--model-path", case.model, *source, "--json"]
        samples = json_lines(case.succeed(*args, env=self.env).stdout)
        if rows is not None:
            compare_samples(samples, rows)
        else:
            expect(len(samples) == self.samples, f"{len(samples)} samples, expected {self.samples}")
        for sample in samples:
            expect_words(sample["text"], self.texts, f"sample {sample['index']}")
            for text in self.absent:
                expect(text not in sample["text"], f"sample {sample['index']} holds {text!r}: {sample['text']!r}")
            for token in self.absent_ids:
                expect(token not in sample["input_ids"], f"sample {sample['index']} holds the id {token}")

    def check_stats(self, case: Case, output: Path, rows: list[dict] | None) -> None:
        (stats,) = json_lines(case.succeed("data", "stats", "--data-path", output, "--json").stdout) or [{}]
        samples = self.samples if rows is None else len(rows)
        want = {"samples": samples, "records": samples + sum(self.dropped.values()), "truncated": 0}
        if rows is not None:
            want["tokens"] = sum(row["len"] for row in rows)
            want["supervised_tokens"] = sum(row["loss_tokens"] for row in rows)
        compare_counts(stats, want | self.stats, "statistics")
        dropped = {reason: count for reason, count in stats["dropped"].items() if count != 0}
        expect(dropped == self.dropped, f"dropped {dropped}, expected {self.dropped}")
        messages = stats["bad_records"]
        expect(len(messages) == len(self.bad_records), f"bad records {messages}, expected {len(self.bad_records)}")
        for message, words in zip(messages, self.bad_records):
            expect_words(message, words, "the bad record's message")

    def check_log(self, result: Result, case: Case) -> None:
        expect_words(result.stderr, self.said, "the log")
        for text in self.absent:
            expect(text not in result.stderr, f"the log holds {text!r}")
        peak = result.peak_bytes / 1e6
        if self.peak_megabytes and not case.sanitized:
            expect(peak < self.peak_megabytes, f"peak memory {peak:.0f} MB, expected under {self.peak_megabytes}")


@dataclass(frozen=True)
class Inspect(Process):
    """`ilt data inspect` shows of the raw file what `ilt data process` makes of it."""

    def run(self, case: Case) -> None:
        rows = case.expected_rows(self.expected, self.times)
        self.check_samples(case, ["--data-path", case.file(self.data), *self.options], rows)


@dataclass(frozen=True)
class Refuse(Step):
    """`ilt data process` fails with one line that names the file and holds the words, and leaves nothing behind."""

    words: tuple[Word, ...] = ()
    absent: tuple[str, ...] = ()  # in no line of stderr
    code: int = 1

    def run(self, case: Case) -> None:
        output = case.new_output() / "data.safetensors"
        result = case.run(*self.process(case, output), env=self.env)
        expect(result.code == self.code, f"exit {result.code}, expected {self.code}: {result.last_line}")
        expect(len(result.errors) == 1, f"{len(result.errors)} lines of error, expected 1: {result.stderr!r}")
        error = result.errors[0]
        expect(result.last_line == error, f"a line follows the error: {result.last_line}")
        expect(self.data in error, f"the error does not name {self.data}: {error}")
        # The file's name may hold the words, too.
        message = error.replace(str(case.file(self.data)), "FILE").replace(self.data, "FILE")
        expect_words(message, self.words, "the error")
        for text in self.absent:
            expect(text not in result.stderr, f"stderr holds {text!r}: {result.stderr!r}")
        left = sorted(path.name for path in output.parent.iterdir())
        expect(not left, f"the failed command left {left}")


@dataclass(frozen=True)
class ProcessColumnar(Process):
    """Process for a Parquet or Arrow file; a command built without these refuses it, saying how to build it."""

    def run(self, case: Case) -> None:
        if case.parquet:
            super().run(case)
        else:
            Refuse(self.data, words=("JSON Lines", "-DILT_PARQUET=ON")).run(case)


@dataclass(frozen=True)
class Export(Step):
    """One step of `ilt train`; the named files of the model it saves are byte for byte the input's."""

    same: tuple[str, ...] = ()

    def run(self, case: Case) -> None:
        output = case.new_output()
        options = {"effective-batch-size": 1, "max-batch-len": 256, "max-seq-len": 128, "learning-rate": 1e-4}
        options |= {"max-steps": 1, "num-threads": 1, "model-path": case.model, "data-path": case.file(self.data)}
        flags = [f"--{name}={value}" for name, value in options.items()]
        case.succeed("train", f"--ckpt-output-dir={output}", *flags, *self.options, env=self.env)
        saved = sorted((output / "hf_format").glob("samples_*"))
        expect(len(saved) == 1, f"saved models: {[path.name for path in saved]}, expected one")
        for name in self.same:
            copy = saved[0] / name
            expect(copy.is_file(), f"the saved model has no {name}")
            expect(copy.read_bytes() == (case.model / name).read_bytes(), f"the saved {name} differs from the input's")
