"""What libilt raises: one class for each kind of failure, each also the built-in exception that it resembles."""

from __future__ import annotations

import builtins
import json
from typing import Any

__all__ = [
    "BusyError",
    "CallbackError",
    "CancelledError",
    "ClosedError",
    "ConfigError",
    "DataError",
    "DeviceError",
    "DeviceOutOfMemoryError",
    "DistributedError",
    "Error",
    "ForkedError",
    "FormatError",
    "InternalError",
    "InvalidArgumentError",
    "InvalidStateError",
    "IOError",
    "NotFoundError",
    "NumericError",
    "OutOfMemoryError",
    "TimeoutError",
    "UnsupportedError",
    "VersionError",
]


class Error(Exception):
    """A failed call.

    `message` is one line for a person; `detail` holds the facts for a program, with those of these keys that apply:
    key, got, expected, nearest, file, line, column, errno; `status` is the number of the kind, as in ilt.h.
    """

    status: int
    message: str

    def __init__(self, message: str, status: int = -127, detail: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self._detail: dict[str, Any] | str = {} if detail is None else detail

    @property
    def detail(self) -> dict[str, Any]:
        """The facts for a program; of its own for each error."""
        if isinstance(self._detail, str):  # of an error that is caught and forgotten nobody reads them
            self._detail = json.loads(self._detail)
        assert not isinstance(self._detail, str)
        return self._detail

    def __str__(self) -> str:
        return self.message

    @property
    def status_name(self) -> str:
        """The name of `status` in ilt.h: "ILT_ERR_CONFIG"."""
        from . import _native  # not above: it raises these errors

        return _native.ilt_status_name(self.status)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.status, self.detail)


class InvalidArgumentError(Error, ValueError):
    """An argument that cannot be: an index out of range, an id outside the vocabulary."""


class InvalidStateError(Error, RuntimeError):
    """Not now: training without data, training from inside a callback."""


class ClosedError(InvalidStateError):
    """The object has been closed."""


class BusyError(Error, RuntimeError):
    """Another thread is using the object."""


class ConfigError(Error, ValueError):
    """An option that is unknown (`detail["nearest"]`), out of bounds, missing, or at odds with another."""


class NotFoundError(Error, FileNotFoundError):
    """A file, a folder or a chat template that is not there."""


class IOError(Error, OSError):  # noqa: A001 - as the built-in one, which it is a kind of
    """The system could not read or write; a full disk."""


class FormatError(Error, ValueError):
    """A file that is broken, or of a kind that is not read."""


class DataError(Error, ValueError):
    """A training record (`detail["file"]`, `detail["line"]`), or no records."""


class OutOfMemoryError(Error, MemoryError):
    """The host's memory did not suffice."""


class DeviceOutOfMemoryError(OutOfMemoryError):
    """The device's memory did not suffice."""


class DeviceError(Error, RuntimeError):
    """A device that is missing or has failed."""


class NumericError(Error, ArithmeticError):
    """A loss, gradient or weight that is not finite."""


class DistributedError(Error, RuntimeError):
    """Another process of the run, or the connection to it, failed."""


class TimeoutError(Error, builtins.TimeoutError):  # noqa: A001
    """Something took longer than it was given."""


class UnsupportedError(Error, NotImplementedError):
    """Known, but not built or not possible here: an architecture, a feature."""


class VersionError(Error, RuntimeError):
    """A file, or an interface, of a version that is not read."""


class CallbackError(Error, RuntimeError):
    """A callback asked for failure. An exception in a callback is raised itself instead."""


class CancelledError(Error):
    """A call was cancelled before it had a result."""


class ForkedError(Error, RuntimeError):
    """An object of the parent process, used in a child made by fork()."""


class InternalError(Error, RuntimeError):
    """A fault in libilt: please report it."""


_BY_STATUS: dict[int, type[Error]] = {
    -1: InvalidArgumentError,
    -2: InvalidStateError,
    -3: BusyError,
    -4: ConfigError,
    -5: NotFoundError,
    -6: IOError,
    -7: FormatError,
    -8: DataError,
    -9: OutOfMemoryError,
    -10: DeviceOutOfMemoryError,
    -11: DeviceError,
    -12: NumericError,
    -13: DistributedError,
    -14: TimeoutError,
    -15: UnsupportedError,
    -16: VersionError,
    -17: CallbackError,
    -18: ForkedError,
    -127: InternalError,
}


def from_status(status: int, message: str, detail_json: str) -> Error:
    """The exception for a failed call; ilt._native calls this."""
    error = _BY_STATUS.get(status, Error)(message, status)
    error._detail = detail_json or "{}"
    if isinstance(error, OSError):
        error.errno = error.detail.get("errno")
        error.filename = error.detail.get("file")
    if isinstance(error, ForkedError):
        error.add_note("Start child processes with multiprocessing's 'spawn' method, or fork before the first session.")
    return error
