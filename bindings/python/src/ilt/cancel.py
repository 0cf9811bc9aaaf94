"""CancelToken: asks calls to stop, from any thread or signal handler."""

from __future__ import annotations

from . import _native
from ._handle import Handle

__all__ = ["CancelToken"]


class CancelToken(Handle):
    """Asks the calls that were given it to stop at the next point where the session is consistent.

    It may be cancelled from any thread and from a Python signal handler; for good: a token is not used again.
    """

    __slots__ = ()
    _free = _native.ilt_cancel_token_free

    def __init__(self) -> None:
        super().__init__(_native.ilt_cancel_token_create())

    def cancel(self) -> None:
        """Asks to stop."""
        self._call(_native.ilt_cancel_token_cancel)

    @property
    def cancelled(self) -> bool:
        """Whether cancel() has been called."""
        return bool(self._call(_native.ilt_cancel_token_is_cancelled))
