"""What the callbacks have in common: which numbers are logged, and when."""

from __future__ import annotations

import math
from typing import Any

from ..events import Callback, Event
from ..metrics import Metrics

_SCALARS = ("loss", "grad_norm", "lr", "tokens_per_second", "epoch", "tokens_seen")


def scalars(metrics: Metrics) -> dict[str, float]:
    """What is logged of a step, by name; numbers that are not finite are left out."""
    values = {f"train/{name}": float(getattr(metrics, name)) for name in _SCALARS}
    return {name: value for name, value in values.items() if math.isfinite(value)}


class MetricsLogger(Callback):
    """Base of the callbacks: calls log() after steps and validations, and finish() at the end of the run.

    `options`, unless None, are logged once as the run's parameters.
    """

    def __init__(self, options: dict[str, Any] | None = None) -> None:
        self._options = options

    def log_options(self, options: dict[str, Any]) -> None:
        """Sends the run's options."""
        raise NotImplementedError

    def log(self, values: dict[str, float], step: int) -> None:
        """Sends numbers by name."""
        raise NotImplementedError

    def finish(self) -> None:
        """Sends what is still held back. The run may go on later."""

    def on_run_begin(self, event: Event) -> None:
        """Sends the options, the first time."""
        options, self._options = self._options, None
        if options is not None:
            self.log_options(options)

    def on_step_end(self, event: Event) -> None:
        """Sends the step's metrics."""
        self.log(scalars(event.metrics), event.metrics.step)

    def on_eval_end(self, event: Event) -> None:
        """Sends the validation loss."""
        if math.isfinite(event.metrics.eval_loss):
            self.log({"eval/loss": event.metrics.eval_loss}, event.metrics.step)

    def on_run_end(self, event: Event) -> None:
        """Sends what is still held back."""
        self.finish()
