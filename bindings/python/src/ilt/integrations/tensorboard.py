"""TensorBoard: scalars in an event file."""

from __future__ import annotations

import json
import os
from typing import Any, Protocol

from .base import MetricsLogger


class SummaryWriter(Protocol):
    """What is used of a torch.utils.tensorboard.SummaryWriter, or of tensorboardX's."""

    def add_scalar(self, tag: str, scalar_value: float, global_step: int, /) -> None: ...

    def add_text(self, tag: str, text_string: str, /) -> None: ...

    def flush(self) -> None: ...


class TensorBoard(MetricsLogger):
    """Writes scalars to log_dir with torch.utils.tensorboard, or to a writer of yours.

    `options` become the text "options". Needs the package tensorboard, unless writer is given.
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str] | None = None,
        *,
        writer: SummaryWriter | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(options)
        if writer is None:
            from torch.utils.tensorboard import SummaryWriter as TorchWriter

            writer = TorchWriter(None if log_dir is None else os.fspath(log_dir))
        elif log_dir is not None:
            raise ValueError("give log_dir or writer, not both")
        self.writer: SummaryWriter = writer

    def log_options(self, options: dict[str, Any]) -> None:
        """Writes the options as text."""
        self.writer.add_text("options", f"```json\n{json.dumps(options, indent=2, default=str)}\n```")

    def log(self, values: dict[str, float], step: int) -> None:
        """Writes scalars."""
        for name, value in values.items():
            self.writer.add_scalar(name, value, step)

    def finish(self) -> None:
        """Flushes the event file."""
        self.writer.flush()
