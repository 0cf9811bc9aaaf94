"""Exceptions: one for each status of ilt.h, each also a built-in one."""

from __future__ import annotations

import builtins
import pickle

import ilt
import pytest
from ilt import _native, errors

BUILTIN = {
    "OutOfMemoryError": MemoryError,
    "DeviceOutOfMemoryError": MemoryError,
    "ConfigError": ValueError,
    "NotFoundError": FileNotFoundError,
    "IOError": OSError,
    "TimeoutError": builtins.TimeoutError,
    "UnsupportedError": NotImplementedError,
    "NumericError": ArithmeticError,
    "BusyError": RuntimeError,
    "ForkedError": RuntimeError,
}


def test_each_status_has_a_class() -> None:
    statuses = {getattr(_native, name) for name in dir(_native) if name.startswith("ILT_ERR_")}
    assert len(statuses) > 15
    made = [errors.from_status(status, "what went wrong", '{"key": "k"}') for status in statuses]
    assert errors.Error not in {type(error) for error in made}
    assert len({type(error) for error in made}) == len(statuses)
    for error in made:
        assert (str(error), error.message, error.detail) == ("what went wrong", "what went wrong", {"key": "k"})
        assert _native.ilt_status_name(error.status) == error.status_name
    assert type(errors.from_status(-99, "", "")) is errors.Error


@pytest.mark.parametrize(("name", "builtin"), BUILTIN.items())
def test_errors_are_built_in_ones_too(name: str, builtin: type[BaseException]) -> None:
    assert issubclass(getattr(ilt, name), builtin)
    assert issubclass(getattr(ilt, name), ilt.Error)


def test_errors_travel_between_processes() -> None:
    error = errors.from_status(_native.ILT_ERR_NOT_FOUND, "gone", '{"file": "/a", "errno": 2}')
    assert isinstance(error, ilt.NotFoundError)
    assert (error.filename, error.errno) == ("/a", 2)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.detail, again.status) == (type(error), "gone", error.detail, error.status)


def test_all_names_are_exported() -> None:
    assert set(errors.__all__) <= set(ilt.__all__)
