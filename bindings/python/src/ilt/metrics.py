"""What a run measures: Metrics after each step, and the records of a metrics file."""

from __future__ import annotations

import dataclasses
import json
import os
from typing import Any

__all__ = ["Metrics", "read_metrics"]


@dataclasses.dataclass(frozen=True, slots=True)
class Metrics:
    """What is known after an optimizer step. Numbers that are not known are NaN.

    `pandas.DataFrame(m.as_dict() for m in session.steps())` makes a table of a run.
    """

    epoch: int
    """Of the step's first sample, from 0."""
    step: int
    """Optimizer steps done."""
    step_total: int
    """Of the whole run; 0: unknown."""
    samples_seen: int
    tokens_seen: int
    loss: float
    """Mean over the loss-bearing tokens of the step, in nats."""
    grad_norm: float
    """Global L2 norm before clipping."""
    lr: float
    """Used in the step."""
    tokens_per_second: float
    """Of the step."""
    step_seconds: float
    mem_host_bytes_peak: int
    eval_loss: float
    """Of the last validation, as `loss`."""

    def as_dict(self) -> dict[str, int | float]:
        """Names and values, in this order: a row of a table."""
        return dataclasses.asdict(self)


def read_metrics(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """The records of a run's metrics file, or of the one in its ckpt_output_dir, without the options in its first line.

    Steps have `step` and `loss`, validations `step` and `val_loss`; `pandas.DataFrame(read_metrics(path))` takes them.
    docs/metrics.md has all keys.
    """
    if os.path.isdir(path):
        path = os.path.join(path, "training_params_and_metrics_global0.jsonl")
    with open(path, encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    return [record for record in records if "loss" in record or "val_loss" in record]
