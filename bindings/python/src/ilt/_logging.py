"""libilt's log in Python's logging: logger "ilt", and below it one for each component, as "ilt.data"."""

from __future__ import annotations

import atexit
import logging

from . import _native

# ilt.h's levels (TRACE ... ERROR) as logging's; TRACE lies below DEBUG.
_TO_PYTHON = (5, logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR)
_OFF = len(_TO_PYTHON)

logger = logging.getLogger("ilt")
logger.addHandler(logging.NullHandler())


def _write(level: int, component: str, message: str) -> None:
    logger.getChild(component).log(_TO_PYTHON[min(level, _OFF - 1)], "%s", message)


def native_level(python_level: int) -> int:
    """The lowest of ilt.h's levels that a logger of python_level lets through."""
    return next((level for level, number in enumerate(_TO_PYTHON) if number >= python_level), _OFF)


def sync() -> None:
    """Takes the logger's level over: lines that it would drop are then not made. Called where sessions begin."""
    wanted = native_level(logger.getEffectiveLevel())
    if _native.ilt_log_level_get() != wanted:
        _native.ilt_log_level_set(wanted)


_native.ilt_log_set(_write, native_level(logger.getEffectiveLevel()))


@atexit.register
def _silence() -> None:
    _native.ilt_log_set(None, _OFF)
