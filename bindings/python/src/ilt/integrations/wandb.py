"""Weights & Biases."""

from __future__ import annotations

from typing import Any, Protocol

from .base import MetricsLogger


class Run(Protocol):
    """What is used of a wandb.Run."""

    @property
    def config(self) -> Any: ...

    def log(self, data: dict[str, Any], /, *, step: int) -> None: ...


class WandB(MetricsLogger):
    """Logs to a Weights & Biases run: one that wandb.init(**settings) makes, or yours.

    `options` go to the run's config. A run of yours stays open; one made here is finished by close().
    """

    def __init__(self, *, run: Run | None = None, options: dict[str, Any] | None = None, **settings: Any) -> None:
        super().__init__(options)
        self._owned: Any = None
        if run is None:
            import wandb

            run = self._owned = wandb.init(**settings)
        elif settings:
            raise ValueError(f"give run or the arguments of wandb.init ({', '.join(settings)}), not both")
        self.run: Run = run

    def log_options(self, options: dict[str, Any]) -> None:
        """Adds the options to the run's config."""
        self.run.config.update(options)

    def log(self, values: dict[str, float], step: int) -> None:
        """Logs the numbers at a step."""
        self.run.log(values, step=step)

    def close(self) -> None:
        """Finishes the run, if it was made here."""
        owned, self._owned = self._owned, None
        if owned is not None:
            owned.finish()
