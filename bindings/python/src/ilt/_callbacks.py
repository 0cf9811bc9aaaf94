"""What stands between libilt and a Python function that it calls back: carries exceptions across the C library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .errors import BusyError, CallbackError

GO_ON, STOP, FAIL = 0, 1, -1


class Trampoline:
    """The object that ilt._native calls: returns GO_ON, STOP or FAIL.

    What the function raises (or a signal that came in meanwhile, as Ctrl-C) is kept, libilt is told to leave, and
    carry() raises it where the Python call into libilt was made. KeyboardInterrupt stops rather than fails: the session
    is then between two steps.
    """

    __slots__ = ("_function", "_kept")

    def __init__(self, function: Callable[..., object] | None) -> None:
        self._function = function
        self._kept: BaseException | None = None

    def __call__(self, *arguments: Any) -> int:
        if self._function is None:
            return GO_ON
        return STOP if self._function(*arguments) else GO_ON

    def failed(self, error: BaseException) -> int:
        """Keeps what was raised on the way through __call__; ilt._native calls this."""
        self._kept = error
        return STOP if isinstance(error, KeyboardInterrupt) else FAIL

    def carry(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """function(*arguments), then the exception that was kept meanwhile, if any."""
        try:
            result = function(*arguments)
        except CallbackError:
            if self._kept is None:
                raise
        except BusyError:  # the exception that may be kept is the other thread's
            raise
        except BaseException:
            self._kept = None
            raise
        kept, self._kept = self._kept, None
        if kept is not None:
            raise kept
        return result
