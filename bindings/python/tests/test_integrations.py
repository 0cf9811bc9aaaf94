"""ilt.integrations: what is sent where, seen by objects with the methods that the packages have."""

from __future__ import annotations

import dataclasses
import math
import pathlib
import sys
import types
from typing import Any

import ilt
import pytest
from ilt import instructlab as il
from ilt import integrations
from test_instructlab import TORCH_ARGS, args

__all__ = ["args"]  # a fixture


class Sink:
    """Notes all calls of any method."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []

    def __getattr__(self, name: str) -> Any:
        def note(*arguments: Any, **named: Any) -> Sink:
            self.calls.append((name, arguments, named))
            return self

        return note

    def named(self, name: str) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
        return [(arguments, named) for called, arguments, named in self.calls if called == name]


def run(options: ilt.Options, callback: ilt.EventFunction) -> list[ilt.Metrics]:
    """Runs with validation; the metrics of each step."""
    seen: list[ilt.Metrics] = []

    def keep(event: ilt.Event) -> None:
        if event.type is ilt.EventType.STEP_END:
            seen.append(event.metrics)

    wanted = dataclasses.replace(options, validation_split=0.25, validation_frequency=2)
    with ilt.Session(wanted, callbacks=[keep, callback]) as session:
        session.run()
    return seen


def test_tensorboard(options: ilt.Options) -> None:
    sink = Sink()
    steps = run(options, integrations.TensorBoard(writer=sink, options={"seed": 1}))
    scalars = {(arguments[0], arguments[2]): arguments[1] for arguments, _ in sink.named("add_scalar")}
    for metrics in steps:
        assert scalars["train/loss", metrics.step] == metrics.loss
        assert scalars["train/lr", metrics.step] == metrics.lr
    assert any(name == "eval/loss" for name, _ in scalars)
    ((text, _),) = sink.named("add_text")
    assert text[0] == "options" and '"seed": 1' in text[1]
    assert sink.named("flush")
    with pytest.raises(ValueError, match="not both"):
        integrations.TensorBoard("folder", writer=sink)


def test_wandb(options: ilt.Options) -> None:
    class Run(Sink):
        config = Sink()

    sink = Run()
    steps = run(options, integrations.WandB(run=sink, options={"seed": 1}))
    logged = [(arguments[0], named["step"]) for arguments, named in sink.named("log")]
    assert [(data["train/loss"], step) for data, step in logged if "train/loss" in data] == [
        (metrics.loss, metrics.step) for metrics in steps
    ]
    assert any("eval/loss" in data for data, _ in logged)
    assert sink.config.named("update") == [(({"seed": 1},), {})]
    with pytest.raises(ValueError, match="project"):
        integrations.WandB(run=sink, project="p")


def test_mlflow(options: ilt.Options) -> None:
    sink = Sink()
    steps = run(options, integrations.MLflow(client=sink, options={"seed": 1}))
    logged = [(arguments[0], named["step"]) for arguments, named in sink.named("log_metrics")]
    assert [step for data, step in logged if "train/loss" in data] == [metrics.step for metrics in steps]
    assert sink.named("log_params") == [(({"seed": 1},), {})]
    with pytest.raises(ValueError, match="not both"):
        integrations.MLflow(client=sink, run_name="r")


def test_numbers_that_are_not_finite_are_left_out(session: ilt.Session) -> None:
    metrics = dataclasses.replace(session.metrics, loss=math.nan, lr=1.0, grad_norm=math.inf)
    assert set(integrations.scalars(metrics)) == {"train/lr", "train/epoch", "train/tokens_seen"}


def test_instructlab_starts_and_ends_their_runs(
    args: il.TrainingArgs, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    wandb, mlflow = Sink(), Sink()
    for name, sink in (("wandb", wandb), ("mlflow", mlflow)):
        module = types.ModuleType(name)
        monkeypatch.setattr(module, "__getattr__", sink.__getattr__, raising=False)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(sys.modules["mlflow"], "active_run", lambda: None, raising=False)
    monkeypatch.setattr(wandb, "config", Sink(), raising=False)
    asked = dataclasses.replace(
        args, wandb_project="p", wandb_run_name="r", mlflow_tracking_uri="u", mlflow_experiment_name="e"
    )
    il.run_training(TORCH_ARGS, asked)
    assert wandb.named("init") == [((), {"project": "p", "entity": None, "name": "r"})]
    assert len(wandb.named("log")) == 4 and len(wandb.named("finish")) == 1
    assert mlflow.named("set_tracking_uri") == [(("u",), {})]
    assert mlflow.named("set_experiment") == [(("e",), {})]
    assert len(mlflow.named("log_metrics")) == 4 and len(mlflow.named("end_run")) == 1
