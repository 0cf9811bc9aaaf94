#!/usr/bin/env python3
"""Holds src/ to its layers: a file includes only its own layer, layers below it, and public headers it is allowed.

The order is that of docs/architecture.md, which this script also checks. `cli` is a client of include/ilt.h: of src/ it
includes only its own files.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
LAYERS = ["base", "config", "device", "text", "weights", "data", "ops", "model", "optim", "dist", "checkpoint", "observe",
          "train", "capi", "cli"]
PUBLIC_HEADER_FOR = {"capi", "cli"}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def problem(path, layer, included):
    """What is wrong with `included` in the file at src/`path` of `layer`; empty when nothing is."""
    if included == "ilt.h":
        return "" if layer in PUBLIC_HEADER_FOR else "the public header is for capi and cli"
    if (ROOT / "src" / path.parent / included).exists():
        return ""  # beside the file
    other = included.split("/")[0]
    if other == layer:
        return ""
    if other not in LAYERS:
        return f"'{other}' is no layer" if (ROOT / "src" / included).exists() else ""
    if layer == "cli":
        return "the command goes through ilt.h only"
    if LAYERS.index(other) > LAYERS.index(layer):
        return f"{layer} is below {other}"
    return ""


def main():
    problems = []
    for file in sorted((ROOT / "src").rglob("*")):
        if file.suffix not in (".h", ".cpp", ".c"):
            continue
        path = file.relative_to(ROOT / "src")
        layer = path.parts[0]
        if layer not in LAYERS:
            problems.append(f"src/{path}: '{layer}' is no layer; the layers are {', '.join(LAYERS)}")
            continue
        for included in INCLUDE.findall(file.read_text(encoding="utf-8")):
            what = problem(path, layer, included)
            if what:
                problems.append(f'src/{path}: #include "{included}": {what}')
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| `src/(\w+)/` \|", page, re.MULTILINE)
    if named != [layer for layer in LAYERS if layer in named] or set(named) != set(LAYERS):
        problems.append(f"docs/architecture.md lists the layers {named}, tools/check_layers.py {LAYERS}")
    print("\n".join(problems) or "layers: every include goes down")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
