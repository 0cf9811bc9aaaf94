"""What all objects that own a handle of libilt share: use counted across threads, close() at most once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, ClassVar, Self

from .errors import BusyError, ClosedError

_BUSY, _INVALID_STATE = -3, -2


class Handle:
    """Owner of one native handle; a context manager that closes it.

    libilt must not free a handle that a call is using. Calls are therefore counted: close() while one runs, in another
    thread or further up in the stack of a callback, raises BusyError.
    """

    __slots__ = ("__weakref__", "_calls", "_lock", "_pointer")

    _free: ClassVar[Callable[[Any], None]]

    def __init__(self, pointer: Any) -> None:
        self._lock = threading.Lock()
        self._calls = 0
        self._pointer: Any = pointer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_pointer", None) is not None and self._calls == 0:
            self.close()

    @property
    def closed(self) -> bool:
        """Whether close() has been called."""
        return self._pointer is None

    def close(self) -> None:
        """Frees what the object holds. Again: nothing."""
        with self._lock:
            if self._calls > 0:
                raise BusyError(f"the {self._noun()} is in use: close it when its calls have returned", _BUSY)
            pointer, self._pointer = self._pointer, None
        if pointer is not None:
            type(self)._free(pointer)

    def _noun(self) -> str:
        return type(self).__name__.lower()

    def _hold(self) -> Any:
        with self._lock:
            if self._pointer is None:
                raise ClosedError(f"the {self._noun()} is closed", _INVALID_STATE)
            self._calls += 1
            return self._pointer

    def _release(self) -> None:
        with self._lock:
            self._calls -= 1

    def _call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """function(pointer, *arguments), the handle held open meanwhile."""
        pointer = self._hold()
        try:
            return function(pointer, *arguments)
        finally:
            self._release()


class Held:
    """`with Held(handle) as pointer`: the handle cannot be closed meanwhile. None stays None."""

    __slots__ = ("_handle",)

    def __init__(self, handle: Handle | None) -> None:
        self._handle = handle

    def __enter__(self) -> Any:
        return None if self._handle is None else self._handle._hold()

    def __exit__(self, *_: object) -> None:
        if self._handle is not None:
            self._handle._release()
