"""The private module: its stub is current, it matches what was built, and the package uses every function of ilt.h."""

from __future__ import annotations

import pathlib
import resource
import subprocess
import sys

import ilt
import pytest
from conftest import MODEL, SOURCE
from ilt import _native
from test_options import tool


def test_the_stub_is_that_of_the_header() -> None:
    header = (SOURCE / "include/ilt.h").read_text(encoding="utf-8")
    made = (SOURCE / "bindings/python/src/ilt/_native.pyi").read_text(encoding="utf-8")
    assert made == tool("make_stub").render(header), "run `make generate`"


def test_stubs_match_what_is_built() -> None:
    pytest.importorskip("mypy")
    package = str(pathlib.Path(ilt.__file__).parents[1])
    command = [sys.executable, "-m", "mypy.stubtest", "ilt", "--mypy-config-file", str(SOURCE / "pyproject.toml")]
    done = subprocess.run(
        command, cwd=package, env={"PYTHONPATH": package, "MYPYPATH": package}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_function_is_used() -> None:
    command = [sys.executable, str(SOURCE / "tools/check_bindings.py"), str(SOURCE / "bindings/python")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_calls_leak_no_memory() -> None:
    tokenizer = ilt.Tokenizer(MODEL)

    def calls(count: int) -> None:
        for _ in range(count):
            with ilt.Config({"model_path": "m", "freeze": ["a"]}) as config:
                config["freeze"], config.to_json()
                with pytest.raises(ilt.ConfigError):
                    config["nothing"]
            tokenizer.decode(tokenizer.encode("some text of a few tokens"))
            with ilt.CancelToken() as token:
                token.cancel()

    def resident() -> int:
        return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()

    calls(1000)
    before = resident()
    calls(10_000)
    assert resident() - before < 1 << 20  # 100 bytes a round


def test_handles_are_typed() -> None:
    token = _native.ilt_cancel_token_create()
    with pytest.raises(TypeError, match="ilt_session"):
        _native.ilt_session_free(token)  # type: ignore[arg-type]
    _native.ilt_cancel_token_free(token)


def test_null_is_an_error_and_never_a_crash() -> None:
    with pytest.raises(ilt.InvalidArgumentError):
        _native.ilt_train_step(None)
    with pytest.raises(ilt.InvalidArgumentError):
        _native.ilt_session_create(None)
    _native.ilt_session_free(None)
    with pytest.raises(ValueError, match="null character"):
        _native.ilt_checkpoint_verify("a\0b")
    with pytest.raises(TypeError):
        _native.ilt_config_from_json(3)  # type: ignore[arg-type]
