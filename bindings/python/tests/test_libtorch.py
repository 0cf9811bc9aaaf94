"""One libtorch in the process: that of the torch package, imported before, after, or not at all."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

import ilt
import pytest
from conftest import MODEL, SOURCE

PROGRAM = """
import sys
{before}
import ilt
with ilt.Session({{"model_path": {model!r}, "num_threads": 1}}) as session:
    print(session.score([1, 2, 3]))
{after}
wanted = ("libtorch_cpu", "gomp", "iomp", "libomp")
names = {{line.split()[-1] for line in open("/proc/self/maps") if any(name in line for name in wanted)}}
print(*sorted(names), sep="\\n")
"""


def run(python: str, before: str = "", after: str = "") -> tuple[str, list[str]]:
    """What a session of its own computes, and which libtorch and libgomp its process has then."""
    program = PROGRAM.format(model=str(MODEL), before=before, after=after)
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(ilt.__file__).parents[1])}
    done = subprocess.run([python, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    scores, *libraries = done.stdout.splitlines()
    return scores, libraries


def name(library: str) -> str:
    """libgomp of /usr/lib/libgomp-a34b3233.so.1."""
    return pathlib.Path(library).name.split(".")[0].split("-")[0]


def python_with_torch() -> str:
    """An interpreter in which `import torch` works: ILT_TORCH_PYTHON, that of `make parity`, or this one."""
    for python in (os.environ.get("ILT_TORCH_PYTHON"), SOURCE / ".deps/parity/bin/python", sys.executable):
        if python and os.access(python, os.X_OK):
            if subprocess.run([python, "-c", "import torch"], capture_output=True).returncode == 0:
                return str(python)
    pytest.skip("no interpreter here can import torch; `make parity` makes one")


def test_without_torch_there_is_one_libtorch() -> None:
    _, libraries = run(sys.executable)
    assert sorted(name(library) for library in libraries) == ["libgomp", "libtorch_cpu"]
    spec = importlib.util.find_spec("torch")
    if spec is not None and spec.origin is not None:
        package = str(pathlib.Path(spec.origin).parent)
        assert all(library.startswith(package) for library in libraries)


@pytest.mark.parametrize("order", ["before", "after"])
def test_with_torch_there_is_one_libtorch(order: str) -> None:
    python = python_with_torch()
    use = "import numpy, torch; assert torch.ones(3).sum() == 3; print(torch.__file__, file=sys.stderr)"
    scores, libraries = run(python, **{order: use})
    assert sorted(name(library) for library in libraries) == ["libgomp", "libtorch_cpu"]
    where = subprocess.run([python, "-c", "import torch; print(torch.__file__)"], capture_output=True, text=True)
    package = str(pathlib.Path(where.stdout).parent)
    assert all(library.startswith(package) for library in libraries)
    assert scores == run(sys.executable)[0]


def test_a_module_of_another_python_is_explained(tmp_path: pathlib.Path) -> None:
    package = tmp_path / "ilt"
    ignored = shutil.ignore_patterns("_native.*", "__pycache__")
    shutil.copytree(pathlib.Path(ilt.__file__).parent, package, ignore=ignored)
    (package / "_native.cpython-30-none.so").touch()
    assert "found: _native.cpython-30-none.so); build it with this Python" in import_error(tmp_path)


def test_a_library_that_is_missing_is_explained(tmp_path: pathlib.Path) -> None:
    package = tmp_path / "ilt"
    shutil.copytree(pathlib.Path(ilt.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    (module,) = package.glob("_native.*.so")
    module.write_bytes(module.read_bytes().replace(b"libilt.so.", b"libnot.so."))
    said = import_error(tmp_path)
    assert "libnot.so" in said and "LD_LIBRARY_PATH" in said


def import_error(folder: pathlib.Path) -> str:
    """What `import ilt` from a folder fails with."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run([sys.executable, "-c", "import ilt"], env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    return done.stderr.splitlines()[-1]


def test_another_torch_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    from ilt import _libtorch

    monkeypatch.setattr(_libtorch, "folder", lambda: tmp_path)
    monkeypatch.setattr("importlib.metadata.version", lambda name: "2.3.1+cpu")
    _libtorch.check("2.3.0")
    with pytest.raises(ImportError, match=r"built with libtorch 2\.15\.0, but the torch package is 2\.3\.1"):
        _libtorch.check("2.15.0")
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "torch")
    with pytest.raises(ImportError, match="libtorch_cpu.so"):
        _libtorch.load()
