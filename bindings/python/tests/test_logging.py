"""libilt's log arrives in Python's logging, and costs nothing where nobody listens."""

from __future__ import annotations

import logging
import subprocess
import sys

import ilt
import pytest
from conftest import MODEL
from ilt import _logging, _native


def test_lines_arrive_by_component(options: ilt.Options, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="ilt"), ilt.Session(options):
        pass
    names = {record.name for record in caplog.records}
    assert {"ilt.train", "ilt.data"} <= names
    assert any("LlamaForCausalLM" in record.getMessage() for record in caplog.records)
    assert all(record.levelno >= logging.INFO for record in caplog.records)


def test_levels_are_those_of_the_logger(options: ilt.Options, caplog: pytest.LogCaptureFixture) -> None:
    for level, native in ((logging.DEBUG, _native.ILT_LOG_DEBUG), (logging.ERROR, _native.ILT_LOG_ERROR)):
        with caplog.at_level(level, logger="ilt"):
            _logging.sync()
            assert _native.ilt_log_level_get() == native
    with caplog.at_level(logging.CRITICAL + 1, logger="ilt"):
        _logging.sync()
        assert _native.ilt_log_level_get() == _native.ILT_LOG_OFF
    assert _logging.native_level(1) == _native.ILT_LOG_TRACE
    caplog.clear()
    with caplog.at_level(logging.ERROR, logger="ilt"), ilt.Session(options):
        assert not caplog.records


def test_nothing_is_printed() -> None:
    program = f"""
import ilt, threading
session = ilt.Session({{"model_path": {str(MODEL)!r}}})  # never closed: the interpreter ends first
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
