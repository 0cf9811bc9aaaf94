#!/usr/bin/env python3
"""Checks that an example trains as the one in C: the same lines but for the speed, the same model to the last byte.

same_run.py MODEL_FOLDER C_PROGRAM PROGRAM [ARGUMENT ...]
"""
import pathlib
import re
import subprocess
import sys
import tempfile

OPTIONS = ["effective_batch_size=2", "max_seq_len=128", "max_batch_len=256", "learning_rate=1e-3", "num_epochs=3",
           "num_threads=1"]


def run(command, model, out, options):
    """Exit status, output without speeds, error output."""
    done = subprocess.run([*command, model, f"{model}.jsonl", out, *options], capture_output=True, text=True,
                          check=False)
    return done.returncode, re.sub(r", [0-9.]+ tokens/s", "", done.stdout), done.stderr


def files(folder):
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def main():
    model, reference, command = sys.argv[1], sys.argv[2:3], sys.argv[3:]
    with tempfile.TemporaryDirectory() as scratch:
        outs = [pathlib.Path(scratch) / name for name in ("c", "other")]
        want, got = (run(c, model, out, OPTIONS) for c, out in zip((reference, command), outs, strict=True))
        assert want[0] == 0 and "step 6 of 6: loss " in want[1], want
        assert got[:2] == want[:2], f"expected {want}\ngot {got}"
        assert files(outs[0]) == files(outs[1]), "the models differ"
        # Errors are told alike, too.
        want, got = (run(c, model, out, ["learning_rat=1"]) for c, out in zip((reference, command), outs, strict=True))
        assert want[0] == 1 and "learning_rate" in want[2], want
        assert got == want, f"expected {want}\ngot {got}"
        assert subprocess.run(command, capture_output=True, check=False).returncode == 2
    print("the same run")


if __name__ == "__main__":
    main()
