"""What a run tells while it runs, and the callbacks that are told."""

from __future__ import annotations

import dataclasses
import enum
from typing import Protocol

from .metrics import Metrics

__all__ = ["Callback", "Event", "EventFunction", "EventType"]


class EventType(enum.IntEnum):
    """Kinds of events; the values are those of ilt.h."""

    RUN_BEGIN = 1
    STEP_END = 2
    EVAL_END = 3
    """A validation: `metrics.eval_loss`."""
    CHECKPOINT = 4
    """`path` has appeared, complete."""
    EPOCH_END = 5
    RUN_END = 6


@dataclasses.dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened in a run."""

    type: EventType
    metrics: Metrics
    path: str | None
    """Of a checkpoint, else None."""


class EventFunction(Protocol):
    """A callback: any callable that takes an Event. What it returns stops the run after this step if it is true."""

    def __call__(self, event: Event, /) -> object: ...


class Callback:
    """A callback with a method for each kind of event; override those of interest.

    A method that returns something true stops the run after this step; an exception ends it, and reaches the caller.
    """

    def __init_subclass__(cls, **options: object) -> None:
        """Refuses a method on_... that no event calls, such as one with a typo."""
        super().__init_subclass__(**options)
        known = [f"on_{kind.name.lower()}" for kind in EventType]
        for name in vars(cls):
            if name.startswith("on_") and name not in known:
                raise TypeError(f"{cls.__name__}.{name} would never be called; callbacks have {', '.join(known)}")

    def on_run_begin(self, event: Event) -> object:
        """Before the first step of this call."""
        return None

    def on_step_end(self, event: Event) -> object:
        """An optimizer step is done: `event.metrics`."""
        return None

    def on_eval_end(self, event: Event) -> object:
        """A validation is done: `event.metrics.eval_loss`."""
        return None

    def on_checkpoint(self, event: Event) -> object:
        """A checkpoint has appeared, complete: `event.path`."""
        return None

    def on_epoch_end(self, event: Event) -> object:
        """The last step of an epoch is done."""
        return None

    def on_run_end(self, event: Event) -> object:
        """After the last step of this call."""
        return None

    def __call__(self, event: Event, /) -> object:
        """Calls the method of the event's type."""
        method: EventFunction = getattr(self, f"on_{event.type.name.lower()}")
        return method(event)
