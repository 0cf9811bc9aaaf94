#!/usr/bin/env python3
"""Holds the bindings to ilt.h: each of its functions is used by the sources of each binding, or excused with a reason.

    check_bindings.py FOLDER [FOLDER ...]     a binding's folder: faults as lines, exit status 1
    check_bindings.py --table                 docs/bindings.md: which function each binding uses, and the C tests call
    check_bindings.py --all                   all of these, and whether docs/bindings.md is up to date

A function is used where its name stands in a source of the binding: a whole word in a file that is not a test, a test's
data, generated from the header or documentation. FOLDER/unbound.txt excuses functions, one a line: the name, two spaces
or more, the reason. An excuse for a function that is used, or that does not exist, is a fault as well.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SOURCES = {".py", ".go", ".rs", ".c", ".h", ".hpp", ".i"}
# Tests, build results, and what is made from the header: there every name occurs.
SKIPPED_FOLDERS = {"tests", "test", "target", "build", "__pycache__", "ilt-sys"}
# What is no use of a function; in Go, a block comment may be the C of cgo. SWIG: comments, and directives about functions.
COMMENTS = {
    ".py": [r'(?s)""".*?"""', r"#[^\n]*"],
    ".c": [r"(?s)/\*.*?\*/"],
    ".h": [r"(?s)/\*.*?\*/"],
    ".i": [r"(?s)/\*.*?\*/", r"(?m)^(%ignore\b|[A-Z]+\().*$"],
}
SKIPPED_NAMES = re.compile(r"(_test\.go|bindings\.rs|_wrap\.c)$")


def declared():
    """The functions of ilt.h, in its order."""
    header = (ROOT / "include/ilt.h").read_text(encoding="utf-8")
    return re.findall(r"ILT_API[^;]*?\b(ilt_\w+)\(", header)


def used(folder):
    """The functions that a binding's sources name, comments aside."""
    names = set()
    for file in sorted(folder.rglob("*")):
        path = file.relative_to(folder)
        if file.suffix not in SOURCES or SKIPPED_FOLDERS & set(path.parts) or SKIPPED_NAMES.search(file.name):
            continue
        text = file.read_text(encoding="utf-8")
        for comment in COMMENTS.get(file.suffix, [r"//[^\n]*"]):
            text = re.sub(comment, "", text)
        names |= set(re.findall(r"\bilt_\w+\b", text))
    return names


def excused(folder):
    """The functions that a binding leaves out, with their reasons."""
    file = folder / "unbound.txt"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    entries = (re.match(r"(ilt_\w+) {2,}(\S.*)", line) for line in lines if line and not line.startswith("#"))
    return {entry[1]: entry[2] for entry in entries}


def faults(folder, functions):
    """What is wrong with a binding, as lines."""
    names, excuses = used(folder), excused(folder)
    for name in functions:
        if name not in names and name not in excuses:
            yield f"{folder.name}: {name} is in ilt.h, but no source uses it"
        if name in names and name in excuses:
            yield f"{folder.name}: unbound.txt excuses {name}, which is used"
    for name in excuses.keys() - set(functions):
        yield f"{folder.name}: unbound.txt excuses {name}, which is not in ilt.h"


PAGE = "docs/bindings.md"
COLUMNS = {"capi": "tests in C", "ilt": "C++", "go": "Go", "python": "Python", "rust": "Rust"}
HEADING = """# Bindings: the functions of ilt.h, and where they are used

<!-- Made by `make generate`; `make lint` keeps it so. -->

A binding uses each function, or says in its `unbound.txt` why not (`tools/check_bindings.py`); the tests in C call them all.
"""


def table(folders, functions):
    """The page: a row a function, a column a binding."""
    yield HEADING
    columns = [(COLUMNS.get(folder.name, folder.name), used(folder), excused(folder)) for folder in folders]
    yield "| function | " + " | ".join(name for name, _, _ in columns) + " |"
    yield "|---" * (len(columns) + 1) + "|"
    for function in functions:
        cells = ["yes" if function in names else excuses.get(function, "**no**") for _, names, excuses in columns]
        yield f"| `{function}` | " + " | ".join(cells) + " |"


def main():
    arguments = sys.argv[1:]
    folders = [pathlib.Path(argument).resolve() for argument in arguments if not argument.startswith("--")]
    if arguments in (["--all"], ["--table"]):
        bindings = sorted(path for path in (ROOT / "bindings").iterdir() if path.is_dir())
        folders = [ROOT / "tests/capi", ROOT / "include/ilt", *bindings]
    if not folders or not all(folder.is_dir() for folder in folders):
        sys.exit(__doc__)
    functions = declared()
    page = "\n".join(table(folders, functions)) + "\n"
    if "--table" in arguments:
        print(page, end="")
        return 0
    found = [fault for folder in folders for fault in faults(folder, functions)]
    if "--all" in arguments and (ROOT / PAGE).read_text(encoding="utf-8") != page:
        found.append(f"{PAGE} is not up to date: run `make generate`")
    print("\n".join(found) or f"bindings: all {len(functions)} functions of ilt.h in {', '.join(f.name for f in folders)}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
