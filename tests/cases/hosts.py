"""The steps of cases about embedding: a C host that runs the case, and the losses that it tells."""

import json
import subprocess
from dataclasses import dataclass

from steps import FILES, TIMEOUT, Case, expect

TOLERANCE = 1e-4


@dataclass(frozen=True)
class Host:
    """The host's program exits with 0, and the losses that it tells are those of case R01's first steps, over and over."""

    program: str = "case_host"
    losses: int = 3
    data: str = ""  # what is told of it where it fails

    def run(self, case: Case) -> None:
        programs = case.ilt.parent
        first = programs.parent / "lib/libilt.so" if self.program != "case_host" else case.folder.name
        words = [programs / self.program, first, case.model, FILES / "R01/rows.jsonl", case.new_output()]
        result = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT, check=False)
        expect(result.returncode == 0, f"exit {result.returncode}: {result.stderr.strip()[-400:]}")
        told = [float(line.split()[1]) for line in result.stdout.splitlines() if line.startswith("loss ")]
        steps = json.loads((FILES / "R01/expected.json").read_text(encoding="utf-8"))["steps"]
        want = [step["loss"] for step in steps[: self.losses]]
        expect(len(told) > 0 and len(told) % self.losses == 0, f"{len(told)} losses were told")
        for got, expected in zip(told, want * (len(told) // self.losses)):
            expect(abs(got - expected) < TOLERANCE, f"a loss is {got}, expected {expected}")


@dataclass(frozen=True)
class Arguments:
    """The C tests of arguments and of memory that runs out pass; sanitizers have a malloc() of their own."""

    data: str = "test_capi"

    def run(self, case: Case) -> None:
        programs = [["test_capi", "arguments"]] + ([] if case.sanitized else [["test_capi_memory"]])
        for name, *groups in programs:
            words = [case.ilt.parent / name, *groups]
            result = subprocess.run(words, capture_output=True, text=True, timeout=TIMEOUT, check=False)
            expect(result.returncode == 0, f"{name}: exit {result.returncode}: {result.stderr.strip()[-400:]}")
