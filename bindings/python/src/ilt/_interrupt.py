"""Ctrl-C during calls of libilt that take long and do not call Python back."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

from . import _native
from ._handle import Held
from .cancel import CancelToken

__all__ = ["interruptibly"]


def interruptibly(
    function: Callable[..., Any],
    *arguments: Any,
    cancel: CancelToken | None,
    discard: Callable[[Any], object] = lambda _: None,
) -> Any:
    """function(*arguments, token). KeyboardInterrupt cancels the token, and is raised when the call has returned.

    Python handles signals in its main thread alone, and not while that is in C: there the call is made by another
    thread. discard() gets what a call returns that was interrupted too late.
    """
    with Held(cancel or CancelToken()) as token:
        if threading.current_thread() is not threading.main_thread():
            return function(*arguments, token)
        with ThreadPoolExecutor(1, thread_name_prefix="ilt") as pool:
            call = pool.submit(function, *arguments, token)
            try:
                return call.result()
            except KeyboardInterrupt:
                _stop(call, token, discard)
                raise


def _stop(call: Future[Any], token: Any, discard: Callable[[Any], object]) -> None:
    _native.ilt_cancel_token_cancel(token)
    while not call.done():
        try:
            wait([call])
        except KeyboardInterrupt:  # what the call uses must not be closed while it runs
            continue
    if call.exception() is None:
        discard(call.result())
