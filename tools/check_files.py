#!/usr/bin/env python3
"""Checks each source file: it starts by saying what it is for (Go: once a package), is not too long, ends in a newline."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
LONG, TOO_LONG = 600, 800
COMMENT = {".h": ("//", "/*"), ".c": ("//", "/*"), ".cpp": ("//", "/*"), ".rs": ("//",), ".cmake": ("#",), ".sh": ("#",),
           ".py": ('"""', "#"), ".toml": ("#",), ".yaml": ("#",), ".txt": ("#",), ".md": ("# ",)}
COMMENT_BY_NAME = {"Makefile": ("#",), ".ci/run": ("#",), ".clang-tidy": ("#",)}
LENGTH_FREE = {".md", ".txt", ".toml"}
LENGTH_FREE_NAMES = {"include/ilt.h"}  # all of the interface in one file, with its documentation
SKIPPED = ("tests/data/", "examples/data/", "Cargo.lock")


def files():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout.splitlines()
    return sorted({f for f in listed if not f.startswith(SKIPPED) and (ROOT / f).is_file()})


def check(name):
    """Problems and warnings of one file."""
    suffix = pathlib.Path(name).suffix
    starts = COMMENT_BY_NAME.get(name) or COMMENT.get(suffix)
    if not starts:
        return [], []
    text = (ROOT / name).read_text(encoding="utf-8")
    lines = text.splitlines()
    problems, warnings = [], []
    first = lines[1] if lines and lines[0].startswith("#!") and len(lines) > 1 else lines[0] if lines else ""
    if not first.startswith(starts):
        problems.append(f"{name}: does not start with a sentence on what it is for")
    if text and not text.endswith("\n"):
        problems.append(f"{name}: no newline at the end")
    if suffix not in LENGTH_FREE and name not in LENGTH_FREE_NAMES:
        if len(lines) > TOO_LONG:
            problems.append(f"{name}: {len(lines)} lines, more than {TOO_LONG}")
        elif len(lines) > LONG:
            warnings.append(f"{name}: {len(lines)} lines, more than {LONG} (warning)")
    return problems, warnings


def main():
    problems, warnings, names = [], [], files()
    for name in names:
        more, soft = check(name)
        problems += more
        warnings += soft
    for line in warnings + problems:
        print(line)
    if not problems:
        print(f"files: {len(names)} looked at")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
