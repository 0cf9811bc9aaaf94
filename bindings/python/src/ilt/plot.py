"""plot_loss(): the loss of runs as a curve. Needs matplotlib."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .metrics import Metrics, read_metrics

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_loss"]

Run = str | os.PathLike[str] | Iterable[Metrics | Mapping[str, Any]]


def _points(run: Run, key: str) -> tuple[list[int], list[float]]:
    records = read_metrics(run) if isinstance(run, str | os.PathLike) else run
    rows = (record.as_dict() if isinstance(record, Metrics) else record for record in records)
    known = [row for row in rows if row.get(key) is not None and math.isfinite(row[key])]
    return [int(row["step"]) for row in known], [float(row[key]) for row in known]


def _smooth(values: list[float], weight: float) -> list[float]:
    """Exponential moving average, without the pull of its start towards zero."""
    smoothed, mean = [], 0.0
    for count, value in enumerate(values, start=1):
        mean = weight * mean + (1 - weight) * value
        smoothed.append(mean / (1 - weight**count))
    return smoothed


def plot_loss(
    runs: Run | Mapping[str, Run],
    *,
    smooth: float = 0.0,
    ax: Axes | None = None,
    path: str | os.PathLike[str] | None = None,
) -> Axes:
    """Draws loss by step, and validation losses as dots.

    A run is a metrics file or the ckpt_output_dir it lies in, or a list of Metrics; several come as a mapping of names.
    smooth, from 0 to below 1, is the weight of an exponential moving average. path writes the figure to a file.
    """
    if not 0 <= smooth < 1:
        raise ValueError(f"smooth is {smooth}; it must be at least 0 and less than 1")
    if ax is None:
        from matplotlib.figure import Figure

        ax = Figure(figsize=(8, 4.5), layout="constrained").add_subplot()
    named = runs if isinstance(runs, Mapping) else {"loss": runs}
    for name, run in named.items():
        records = run if isinstance(run, str | os.PathLike) else list(run)
        steps, losses = _points(records, "loss")
        (line,) = ax.plot(steps, _smooth(losses, smooth), label=name)
        if smooth:
            ax.plot(steps, losses, color=line.get_color(), alpha=0.25)
        steps, losses = _points(records, "val_loss")
        if steps:
            ax.plot(steps, losses, "o", color=line.get_color(), label=f"{name}, validation")
    ax.set_xlabel("optimizer step")
    ax.set_ylabel("loss (nats a token)")
    ax.grid(alpha=0.3)
    ax.legend()
    if path is not None:
        figure = ax.get_figure(root=True)
        if figure is not None:
            figure.savefig(path)
    return ax
