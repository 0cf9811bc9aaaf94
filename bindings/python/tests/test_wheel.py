"""The wheel: built by pip on an installed libilt, and what a wheel with the library in it holds."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import zipfile

import pytest
from conftest import BUILD, MODEL, SOURCE

PROGRAM = f"""
import ilt, json
with ilt.Session({{"model_path": {str(MODEL)!r}, "num_threads": 1}}) as session:
    session.score([1, 2, 3])
loaded = sorted({{line.split()[-1] for line in open("/proc/self/maps") if "libilt" in line}})
print(json.dumps([ilt.__file__, loaded]))
"""


def run(*command: str | pathlib.Path, **environment: str) -> str:
    done = subprocess.run(
        [str(part) for part in command], env={**os.environ, **environment}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def install(prefix: pathlib.Path, *options: str) -> None:
    run("cmake", "--install", BUILD, "--prefix", prefix, *options)


def test_pip_builds_a_wheel_on_an_installed_libilt(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("scikit_build_core")
    prefix, wheels, site = tmp_path / "prefix", tmp_path / "wheels", tmp_path / "site"
    install(prefix)
    assert not (prefix / "ilt").exists()
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet"]
    options = ["--no-build-isolation", "--no-deps", "--wheel-dir", str(wheels)]
    options.append(f"--config-settings=build-dir={tmp_path / 'build'}")
    run(*pip, *options, SOURCE, ILT_PREFIX=str(prefix))
    (wheel,) = wheels.iterdir()
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if name.startswith("ilt/")}
        sources = {f"ilt/{path.relative_to(SOURCE / 'bindings/python/src/ilt')}" for path in package_files()}
        assert {name for name in names if not name.endswith(".so")} == sources
        (metadata,) = (name for name in archive.namelist() if name.endswith("METADATA"))
        assert "Requires-Dist: torch==" in archive.read(metadata).decode()
        archive.extractall(site)
    environment = {"PYTHONPATH": str(site), "LD_LIBRARY_PATH": ""}
    assert str(prefix) in run(sys.executable, "-c", PROGRAM, **environment)
    example = (sys.executable, SOURCE / "examples/python/finetune.py", MODEL, f"{MODEL}.jsonl", tmp_path / "out")
    options = ["effective_batch_size=2", "max_seq_len=128", "max_batch_len=256", "num_threads=1"]
    assert run(*example, *options, **environment).count("loss") == 2
    assert (tmp_path / "out/config.json").exists()


def package_files() -> list[pathlib.Path]:
    folder = SOURCE / "bindings/python/src/ilt"
    return [path for path in folder.rglob("*") if path.suffix in (".py", ".pyi", ".typed") and path.is_file()]


def test_a_whole_wheel_holds_the_library_beside_the_module(tmp_path: pathlib.Path) -> None:
    install(tmp_path, "--component", "python")
    installed = sorted(path.name.split(".")[0] for path in (tmp_path / "ilt").iterdir() if not path.is_symlink())
    assert installed == ["_native", "libilt"]
    for path in package_files():
        target = tmp_path / "ilt" / path.relative_to(SOURCE / "bindings/python/src/ilt")
        target.parent.mkdir(exist_ok=True)
        target.symlink_to(path)
    loaded = run(sys.executable, "-c", PROGRAM, PYTHONPATH=str(tmp_path), LD_LIBRARY_PATH="")
    assert str(tmp_path / "ilt" / "libilt") in loaded and str(BUILD) not in loaded.split("[", 2)[2]
