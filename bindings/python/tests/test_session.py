"""Sessions: steps and runs, what they measure, and objects that are closed or forgotten."""

from __future__ import annotations

import dataclasses
import gc
import math
import os
import pathlib
import weakref

import ilt
import pytest
from conftest import MODEL, losses


def test_steps_train_until_done(session: ilt.Session) -> None:
    assert session.metrics.step == 0
    assert math.isnan(session.metrics.loss)
    seen = list(session.steps())
    assert [metrics.step for metrics in seen] == [1, 2, 3, 4]
    assert seen[-1].loss < seen[0].loss
    assert session.step() is None
    assert session.metrics.loss == seen[-1].loss


def test_a_run_has_the_losses_of_its_steps(options: ilt.Options) -> None:
    seen: list[float] = []

    def keep(event: ilt.Event) -> None:
        if event.type is ilt.EventType.STEP_END:
            seen.append(event.metrics.loss)

    with ilt.Session(options, callbacks=[keep]) as session:
        result = session.run()
    assert not result.stopped
    assert result.metrics.loss == seen[-1]
    assert seen == losses(options)


def test_a_step_begins_where_the_loop_was_left(options: ilt.Options) -> None:
    with ilt.Session(options) as session:
        first = []
        for metrics in session.steps():
            first.append(metrics.loss)
            if metrics.step == 2:
                break
        assert first + [metrics.loss for metrics in session.steps()] == losses(options)


def test_metrics_tell_more_as_a_record(session: ilt.Session) -> None:
    metrics = session.step()
    assert metrics is not None
    record = session.metrics_record()
    assert record["avg_loss"] == metrics.loss
    assert record["gradnorm"] == metrics.grad_norm
    assert metrics.as_dict()["loss"] == metrics.loss
    assert list(metrics.as_dict())[:3] == ["epoch", "step", "step_total"]


def test_config_and_model_are_told(session: ilt.Session) -> None:
    assert session.config()["effective_batch_size"] == 2
    assert session.model_info()["architecture"] == "LlamaForCausalLM"


def test_score_and_generate(session: ilt.Session) -> None:
    scores = session.score([1, 2, 3])
    assert len(scores) == 2 and all(value < 0 for value in scores)
    told: list[int] = []
    ids = session.generate([1, 2, 3], max_new_tokens=5, on_token=told.append)
    assert ids == told and len(ids) == 5
    assert session.generate([1, 2, 3], max_new_tokens=5) == ids
    assert session.generate([1, 2, 3], max_new_tokens=5, stop_ids=[ids[0]]) == []
    assert session.generate([1, 2, 3], max_new_tokens=5, on_token=lambda _: True) == ids[:1]
    with pytest.raises(ValueError, match="at least 2"):
        session.score([1])
    with pytest.raises(ilt.InvalidArgumentError, match="99999"):
        session.score([1, 99999])


def test_score_takes_what_holds_integers(session: ilt.Session) -> None:
    numpy = pytest.importorskip("numpy")
    expected = session.score([1, 2, 3])
    for kind in ("int32", "int64", "uint8"):
        assert session.score(numpy.array([1, 2, 3], dtype=kind)) == expected
    with pytest.raises(OverflowError):
        session.score([1, 2**40])
    with pytest.raises(TypeError):
        session.score([1, "2"])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="Tokenizer.encode"):
        session.generate("Hello")  # type: ignore[arg-type]


def test_datasets_from_memory_train(options: ilt.Options) -> None:
    data = [sample for sample in ilt.Dataset(options)]
    without = dataclasses.replace(options, data_path=None)
    with ilt.Session(without) as session:
        with pytest.raises(ilt.InvalidStateError, match="data_path"):
            session.step()
        with ilt.Dataset(options) as training:
            assert [*training] == data
            session.set_datasets(training)
        assert [metrics.loss for metrics in session.steps()] == losses(options)


def test_a_save_is_a_model(session: ilt.Session, tmp_path: pathlib.Path) -> None:
    list(session.steps())
    session.save(tmp_path / "model")
    scores = session.score([1, 2, 3])
    with ilt.Session({"model_path": tmp_path / "model", "num_threads": 1}) as again:
        assert again.score([1, 2, 3]) == scores


def test_close_is_idempotent_and_final(session: ilt.Session) -> None:
    assert not session.closed
    session.close()
    session.close()
    assert session.closed
    for call in (session.step, session.model_info, lambda: session.metrics):
        with pytest.raises(ilt.ClosedError, match="the session is closed"):
            call()


def test_a_forgotten_session_is_freed(options: ilt.Options) -> None:
    class Watcher(ilt.Callback):
        session: ilt.Session

    watcher = Watcher()
    session = ilt.Session(options, callbacks=[watcher])
    watcher.session = session  # a cycle
    dead = weakref.ref(watcher)
    del watcher, session
    gc.collect()
    assert dead() is None


def test_sessions_leave_nothing_behind(options: ilt.Options) -> None:
    def count() -> tuple[int, int]:
        return len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))

    losses(options)
    before = count()
    for _ in range(20):
        losses(options)
    assert count() == before


def test_a_missing_model_is_named() -> None:
    with pytest.raises(ilt.NotFoundError, match="/no/such/model") as caught:
        ilt.Session({"model_path": "/no/such/model"})
    assert caught.value.filename == "/no/such/model"
    with pytest.raises(FileNotFoundError):
        ilt.Session({"model_path": "/no/such/model"})
    with pytest.raises(ilt.DeviceError, match="cuda:77"):
        ilt.Session({"model_path": MODEL, "device": "cuda:77"})
