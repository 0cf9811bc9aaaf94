"""The example program prints what the C one prints, and every snippet of the README runs."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
from typing import Any

import ilt
import pytest
from conftest import BUILD, MODEL, SOURCE

OPTIONS = ["effective_batch_size=2", "max_seq_len=128", "max_batch_len=256", "learning_rate=1e-3", "num_threads=1"]
SMALL = {
    ".deps/models/smollm2-135m": str(MODEL),
    "examples/data/gsm8k.jsonl": f"{MODEL}.jsonl",
    "effective_batch_size=4": "effective_batch_size=1, num_threads=1",
    "decode(ids": "decode([i % 102 for i in ids]",  # the tiny model has more ids than its tokenizer
}
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(pathlib.Path(ilt.__file__).parents[1])}


def finetune(program: list[str], *changes: str, out: pathlib.Path) -> subprocess.CompletedProcess[str]:
    command = [*program, str(MODEL), f"{MODEL}.jsonl", str(out), *OPTIONS, *changes]
    return subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True)


def test_finetune_prints_what_the_c_program_prints(tmp_path: pathlib.Path) -> None:
    in_c, in_python = [str(BUILD / "bin/finetune")], [sys.executable, str(SOURCE / "examples/python/finetune.py")]
    if not os.access(in_c[0], os.X_OK):
        pytest.skip("the C example is not built")
    for changes, status in ((["num_epochs=2"], 0), (["num_epoch=2"], 1), (["learning_rate=-1"], 1)):
        c = finetune(in_c, *changes, out=tmp_path / "c")
        python = finetune(in_python, *changes, out=tmp_path / "python")
        assert (c.returncode, python.returncode) == (status, status)
        assert python.stderr == c.stderr
        speed = re.compile(r", \d+ tokens/s")
        assert speed.sub("", python.stdout) == speed.sub("", c.stdout)
        assert len(c.stdout.splitlines()) == (4 if status == 0 else 0)
    weights = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("c", "python")]
    assert weights[0] == weights[1]
    assert subprocess.run(in_python, env=ENVIRONMENT, capture_output=True).returncode == 2


def test_the_snippets_of_the_readme_run(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (SOURCE / "bindings/python/README.md").read_text(encoding="utf-8")
    snippets = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    assert len(snippets) >= 4
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for snippet in snippets:
        for name, small in SMALL.items():
            snippet = snippet.replace(name, small)
        exec(compile(snippet, "README.md", "exec"), names)
    assert (tmp_path / "out/after-two/config.json").exists()
