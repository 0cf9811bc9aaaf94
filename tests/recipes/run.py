#!/usr/bin/env python3
"""Runs every recipe of this folder through an example program, and compares the losses with those of the recipe.

run.py MODEL_FOLDER PROGRAM [ARGUMENT ...]              checks
run.py --write MODEL_FOLDER PROGRAM [ARGUMENT ...]      writes the losses into the recipes instead

A recipe is a JSON object: `about`, a sentence; `options` of the run; `records`, its data; `losses`, those of its steps,
to four places, as the example in C prints them. That they are right is tested elsewhere; here, that they are the same
in every language and stay so. The program is called as
`finetune` of examples/ in any language: MODEL DATA OUT [option=value ...].
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TOLERANCE = 2e-4  # of numbers with four places: processors round sums in different orders


def as_text(value):
    """An option's value as ilt_config_set() takes it."""
    return value if isinstance(value, str) else json.dumps(value)


def losses(recipe, model, command, scratch):
    """What the program prints."""
    data = scratch / "data.jsonl"
    data.write_text("".join(json.dumps(record) + "\n" for record in recipe["records"]), encoding="utf-8")
    options = [f"{key}={as_text(value)}" for key, value in recipe["options"].items()]
    done = subprocess.run([*command, model, data, scratch / "out", *options], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{command}: {done.stderr}")
    return [float(loss) for loss in re.findall(r"^step \d+ of \d+: loss ([0-9.]+),", done.stdout, re.MULTILINE)]


def main():
    write = "--write" in sys.argv
    model, *command = [argument for argument in sys.argv[1:] if argument != "--write"]
    paths = sorted(HERE.glob("*.json"))
    for path in paths:
        recipe = json.loads(path.read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory() as scratch:
            got = losses(recipe, model, command, pathlib.Path(scratch))
        if write:
            path.write_text(json.dumps({**recipe, "losses": got}, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
            continue
        want = recipe["losses"]
        if len(got) != len(want) or any(abs(a - b) > TOLERANCE for a, b in zip(got, want, strict=True)):
            sys.exit(f"{path.name} through {command[-1]}: losses {got}, expected {want}")
    print(f"{len(paths)} recipes {'written' if write else 'give their losses'}")


if __name__ == "__main__":
    main()
