"""Callbacks that send a run's metrics to TensorBoard, Weights & Biases, or MLflow.

    with ilt.Session(options, callbacks=[ilt.integrations.TensorBoard("out/tb")]) as session:
        session.run()

All log the same scalars after each step, at the step's number: train/loss, train/grad_norm, train/lr,
train/tokens_per_second, train/epoch, train/tokens_seen; and after each validation eval/loss. Numbers that are not known
are left out. The packages themselves are imported when a callback is made.
"""

from .base import MetricsLogger, scalars
from .mlflow import MLflow
from .tensorboard import TensorBoard
from .wandb import WandB

__all__ = ["MLflow", "MetricsLogger", "TensorBoard", "WandB", "scalars"]
