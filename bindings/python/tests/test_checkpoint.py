"""Checkpoints: full states are listed, verified, compared, exported, and gone on from."""

from __future__ import annotations

import dataclasses
import pathlib

import ilt
import pytest
from conftest import MODEL, losses


@pytest.fixture
def run(options: ilt.Options, tmp_path: pathlib.Path) -> ilt.Options:
    """Options of a run that has been stopped after two of its four steps."""
    stopped = dataclasses.replace(options, ckpt_output_dir=tmp_path / "out", save_every_steps=1)
    with ilt.Session(stopped, callbacks=[lambda event: event.metrics.step == 2]) as session:
        assert session.run().stopped
    return stopped


def test_states_are_listed_and_described(run: ilt.Options) -> None:
    states = ilt.checkpoint.list_states(run.ckpt_output_dir)
    assert [state.step for state in states] == [1, 2]
    for state in states:
        assert state.fault is None and state.bytes
        ilt.checkpoint.verify(state.path)
        assert ilt.checkpoint.info(state.path)["step"] == state.step
    difference = ilt.checkpoint.diff(states[0].path, states[1].path)
    assert not difference["equal"]
    assert ilt.checkpoint.diff(states[0].path, states[0].path)["equal"]


def test_a_stopped_run_resumes_to_the_bit(run: ilt.Options, options: ilt.Options) -> None:
    with ilt.Session(run) as session:
        assert session.metrics.step == 2
        assert [metrics.loss for metrics in session.steps()] == losses(options)[2:]


def test_a_damaged_state_is_found(run: ilt.Options) -> None:
    state = ilt.checkpoint.list_states(run.ckpt_output_dir)[-1]
    largest = max(pathlib.Path(state.path).iterdir(), key=lambda file: file.stat().st_size)
    content = bytearray(largest.read_bytes())
    content[-1] ^= 1
    largest.write_bytes(content)
    with pytest.raises(ilt.FormatError, match=largest.name):
        ilt.checkpoint.verify(state.path)
    with pytest.raises(ilt.NotFoundError):
        ilt.checkpoint.verify("/no/such/state")


def test_weights_are_exported(run: ilt.Options, tmp_path: pathlib.Path) -> None:
    state = ilt.checkpoint.list_states(run.ckpt_output_dir)[-1]
    ilt.checkpoint.export(state.path, tmp_path / "model", save_dtype="float32")
    with ilt.Session({"model_path": tmp_path / "model"}) as session:
        assert session.model_info()["parameters"] > 0


def test_models_are_converted(tmp_path: pathlib.Path) -> None:
    ilt.checkpoint.export_model(MODEL, tmp_path / "copy", format="hf", dtype="float32")
    assert (tmp_path / "copy" / "model.safetensors").exists()
    with pytest.raises(ilt.ConfigError):
        ilt.checkpoint.export_model(MODEL, tmp_path / "other", format="onnx")  # type: ignore[arg-type]


def test_a_save_on_request(options: ilt.Options, tmp_path: pathlib.Path) -> None:
    wanted = dataclasses.replace(options, ckpt_output_dir=tmp_path, full_state_at_epoch=False, checkpoint_at_epoch=False)
    paths: list[str] = []
    with ilt.Session(wanted) as session:
        session.callbacks.append(lambda event: paths.append(event.path) if event.path else None)
        session.request_save()
        session.run()
    assert str(tmp_path / "full_state" / "step_1") in paths
