"""run_training(): processes the data, trains, and saves, as instructlab.training's does."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import os
import pathlib
import signal
from collections.abc import Iterator
from typing import Any

from .. import _native, integrations
from .._logging import logger
from ..cancel import CancelToken
from ..dataset import process
from ..errors import CancelledError
from ..events import EventFunction
from ..session import RunResult, Session
from .args import DataProcessArgs, TorchrunArgs, TrainingArgs
from .translate import processed_path, translate, translate_processing

# Those that InstructLab's on-demand checkpointing listens to.
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU, signal.SIGHUP)


@contextlib.contextmanager
def _logging_to(folder: pathlib.Path, level: str, node_rank: int) -> Iterator[None]:
    """libilt's log in full_logs_global<rank>.log, at the level that was asked for."""
    handler = logging.FileHandler(folder / f"full_logs_global{node_rank}.log", encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(level)
    try:
        yield
    finally:
        logger.setLevel(before)
        logger.removeHandler(handler)
        handler.close()


@contextlib.contextmanager
def _cancelled_by_signals(token: CancelToken, wanted: bool) -> Iterator[None]:
    """While it lasts, signals that announce an end cancel the token. Python allows this in the main thread only."""
    before = {number: signal.signal(number, lambda *_: token.cancel()) for number in SIGNALS if wanted}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _loggers(args: TrainingArgs, options: dict[str, Any]) -> Iterator[list[EventFunction]]:
    """The callbacks that the arguments, or InstructLab's environment variables, ask for."""
    with contextlib.ExitStack() as stack:
        callbacks: list[EventFunction] = list(args.callbacks)
        if args.tensorboard_log_dir is not None:
            callbacks.append(integrations.TensorBoard(args.tensorboard_log_dir, options=options))
        project = args.wandb_project or os.environ.get("WANDB_PROJECT")
        if project:
            wandb = integrations.WandB(
                project=project, entity=args.wandb_entity, name=args.wandb_run_name, options=options
            )
            stack.callback(wandb.close)
            callbacks.append(wandb)
        uri = args.mlflow_tracking_uri or os.environ.get("MLFLOW_TRACKING_URI")
        experiment = args.mlflow_experiment_name or os.environ.get("MLFLOW_EXPERIMENT_NAME")
        if uri or experiment:
            mlflow = integrations.MLflow(
                tracking_uri=uri, experiment=experiment, run_name=args.mlflow_run_name, options=options
            )
            stack.callback(mlflow.close)
            callbacks.append(mlflow)
        yield callbacks


def _save_all(session: Session, folder: pathlib.Path) -> None:
    """A model and a full state, where the run has stopped on demand; those that the run has saved are left alone."""
    metrics = session.metrics
    state = folder / "full_state" / f"step_{metrics.step}"
    model = folder / "hf_format" / f"samples_{metrics.samples_seen}"
    if not state.exists():
        session.save(state, "full_state")
    if not model.exists():
        session.save(model)


def run_training(torch_args: TorchrunArgs, train_args: TrainingArgs) -> RunResult:
    """Trains as the arguments say: checkpoints, metrics and log go to ckpt_output_dir.

    A run that was broken off goes on when it is started again. With on_demand_checkpointing, SIGTERM, SIGINT, SIGUSR1,
    SIGUSR2, SIGXCPU and SIGHUP make it save a model and a full state after the step that it is in, and return.
    """
    options = translate(torch_args, train_args)
    folder = pathlib.Path(train_args.ckpt_output_dir)
    folder.mkdir(parents=True, exist_ok=True)
    wanted = train_args.on_demand_checkpointing
    with (
        _logging_to(folder, train_args.log_level, torch_args.node_rank),
        CancelToken() as token,
        _cancelled_by_signals(token, wanted),
        _loggers(train_args, options.as_dict()) as callbacks,
    ):
        if train_args.process_data:
            path = processed_path(train_args)
            path.parent.mkdir(parents=True, exist_ok=True)
            if not process(options, path, cancel=token):
                raise CancelledError("stopped while processing data; the same call goes on from there", _native.ILT_STOPPED)
            options = dataclasses.replace(options, data_path=path)
        with Session(options, callbacks=callbacks) as session:
            result = session.run(cancel=token)
            if wanted and result.stopped and result.metrics.step > 0:
                _save_all(session, folder)
            return result


def process_data(args: DataProcessArgs) -> pathlib.Path:
    """Processes records into data_output_path/data.safetensors, which data_path then takes; returns its path."""
    options = translate_processing(args)
    path = pathlib.Path(args.data_output_path) / "data.safetensors"
    path.parent.mkdir(parents=True, exist_ok=True)
    process(options, path)
    return path
