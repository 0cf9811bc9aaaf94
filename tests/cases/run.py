#!/usr/bin/env python3
"""Runs the cases of cases.jsonl against the ilt command and prints a line for each.

usage: run.py ILT [ID ...] [--sanitized] [--parquet]

A case is a line of cases.jsonl, a folder files/ID with its input and expected output, and a row of table.py with the
steps to take. A new case is one more of each; a step of a new kind is one more class in steps.py.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import steps
from table import TABLE

CASES = Path(__file__).resolve().parent / "cases.jsonl"


def run_case(ilt: Path, name: str, sanitized: bool, parquet: bool) -> list[str]:
    """What is wrong, a line a failed step."""
    problems = []
    with tempfile.TemporaryDirectory(prefix=f"ilt-case-{name}-") as scratch:
        try:
            case = steps.Case(ilt, name, Path(scratch), sanitized, parquet)
        except steps.Failed as failure:
            return [str(failure)]
        for step in TABLE[name]:
            try:
                step.run(case)
            except steps.Failed as failure:
                problems.append(f"{type(step).__name__} {step.data}: {failure}")
            except (AttributeError, LookupError, TypeError, ValueError) as error:  # output of another shape than told
                problems.append(f"{type(step).__name__} {step.data}: odd output: {type(error).__name__} {error}")
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ilt", type=Path, help="the ilt command")
    parser.add_argument("ids", nargs="*", help="the cases to run; default: all")
    parser.add_argument("--sanitized", action="store_true", help="peak memory is not checked: sanitizers need their own")
    parser.add_argument("--parquet", action="store_true", help="the command was built with ILT_PARQUET")
    args = parser.parse_args()
    if not args.ilt.is_file():
        parser.error(f"no such command: {args.ilt}")
    cases = {case["id"]: case for case in steps.json_lines(CASES.read_text(encoding="utf-8"))}
    if cases.keys() != TABLE.keys():
        print(f"cases.jsonl and table.py do not hold the same cases: {sorted(cases.keys() ^ TABLE.keys())}")
        return 1
    if unknown := [name for name in args.ids if name not in cases]:
        parser.error(f"no such case: {', '.join(unknown)}")
    failed = 0
    for name in args.ids or cases:
        problems = run_case(args.ilt.resolve(), name, args.sanitized, args.parquet)
        failed += bool(problems)
        print(f"{name} {'FAILED' if problems else 'ok'}: {cases[name]['title']}", *problems, sep=" | ", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
