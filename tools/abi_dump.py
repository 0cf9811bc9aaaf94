#!/usr/bin/env python3
"""Holds the binary interface of ilt.h against tests/capi/abi, or renews what lies there.

usage: abi_dump.py check [CC]      compare: only additions are taken, and they must have been renewed
       abi_dump.py renew [CC]      write symbols.txt and ilt.abi anew; CHANGELOG.md must have changed before
       abi_dump.py told            whether the commit that last changed the dump changed CHANGELOG.md, too

ilt.abi is the dump (abidw, of Debian's abigail-tools) of a library with an empty body for each function that ilt.h
declares. The compiler holds the real functions to the same declarations, and exported_symbols.py the real library to
their names; so the dump is small, made in a moment, and the same with every compiler and libtorch.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
HEADER = ROOT / "include/ilt.h"
ABI = ROOT / "tests/capi/abi"
DUMP, SYMBOLS = ABI / "ilt.abi", ABI / "symbols.txt"
DECLARATION = re.compile(r"^ILT_API\s+(?:ILT_MUST_USE\s+)?([^;(]*?[\s*])(ilt_\w+)\(([^;]*)\)\s*ILT_NOEXCEPT;", re.M)
INCOMPATIBLE = 8  # of abidiff's exit status; 4: a change of any kind


def declarations() -> list[tuple[str, str, str]]:
    """Return type, name and parameters of each function."""
    found = DECLARATION.findall(HEADER.read_text("utf-8"))
    return [(kind.strip(), name, " ".join(args.split())) for kind, name, args in found]


def stub_library(folder: pathlib.Path, compiler: str) -> pathlib.Path:
    bodies = (f"{kind} {name}({args}) {{{'' if kind == 'void' else ' return 0; '}}}\n"
              for kind, name, args in declarations())
    source, library = folder / "ilt.c", folder / "libilt.so"
    source.write_text('#include "ilt.h"\n' + "".join(bodies), encoding="utf-8")
    flags = ["-std=c99", "-g", "-shared", "-fPIC", "-w", f"-I{HEADER.parent}"]
    subprocess.run([compiler, *flags, source, "-o", library], check=True)
    return library


def dump(library: pathlib.Path, to: pathlib.Path) -> None:
    options = ["--no-corpus-path", "--no-comp-dir-path", "--no-elf-needed", "--no-show-locs", "--type-id-style", "hash"]
    subprocess.run(["abidw", *options, "--out-file", to, library], check=True)


def symbols() -> str:
    names = sorted(name for _, name, _ in declarations())
    return "# The functions that ilt.h declares.\n" + "".join(f"{name}\n" for name in names)


def check(compiler: str) -> int:
    if SYMBOLS.read_text(encoding="utf-8") != symbols():
        print(f"ilt.h declares other functions than {SYMBOLS}: run tools/abi_dump.py renew")
        return 1
    with tempfile.TemporaryDirectory() as scratch:
        now = pathlib.Path(scratch, "ilt.abi")
        dump(stub_library(pathlib.Path(scratch), compiler), now)
        result = subprocess.run(["abidiff", DUMP, now], capture_output=True, text=True, check=False)
    if result.returncode == 0:
        return 0
    print(result.stdout + result.stderr)
    if result.returncode & INCOMPATIBLE:
        print("The interface has changed in a way that breaks programs: add a function beside the old one instead.")
    print("If the change is meant, tell of it in CHANGELOG.md and run tools/abi_dump.py renew.")
    return 1


def git(*args: str) -> str:
    return subprocess.run(["git", "-C", ROOT, *args], check=True, capture_output=True, text=True).stdout


def renew(compiler: str) -> int:
    if not git("status", "--porcelain", "--", "CHANGELOG.md"):
        print("CHANGELOG.md has not changed: say there what changes in the interface, then renew")
        return 1
    ABI.mkdir(exist_ok=True)
    SYMBOLS.write_text(symbols(), encoding="utf-8")
    with tempfile.TemporaryDirectory() as scratch:
        dump(stub_library(pathlib.Path(scratch), compiler), DUMP)
    return 0


def told() -> int:
    """Whether the last commit that changed the dump changed CHANGELOG.md, too."""
    if not (ROOT / ".git").exists():
        return 77
    try:
        last = git("log", "-1", "--format=%H", "--", str(DUMP)).strip()
        changed = git("show", "--format=", "--name-only", last).split("\n") if last else []
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"git tells no history: {error}")
        return 77
    if last and "CHANGELOG.md" not in changed:
        print(f"commit {last} changes {DUMP.name} but not CHANGELOG.md")
        return 1
    return 0


def main() -> int:
    what, compiler = sys.argv[1] if len(sys.argv) > 1 else "", sys.argv[2] if len(sys.argv) > 2 else "cc"
    if what == "told":
        return told()
    if what not in ("check", "renew"):
        print(__doc__)
        return 2
    if shutil.which("abidw") is None:
        print("abidw is not installed (Debian: abigail-tools)")
        return 77
    return check(compiler) if what == "check" else renew(compiler)


if __name__ == "__main__":
    sys.exit(main())
