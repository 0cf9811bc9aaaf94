"""The host's own loop: batches, gradients and steps; evaluation, learning rate, epochs, full states."""

from __future__ import annotations

import dataclasses
import math
import pathlib

import ilt
import pytest
from conftest import MODEL, losses


@pytest.fixture
def in_order(options: ilt.Options) -> ilt.Options:
    return dataclasses.replace(options, shuffle=False)


def test_own_batches_train_as_the_run_does(in_order: ilt.Options) -> None:
    expected = losses(in_order)
    without = dataclasses.replace(in_order, data_path=None, num_epochs=1, max_steps=4)
    with ilt.Dataset(in_order) as data, ilt.Session(without) as session, ilt.Batch() as batch:
        seen = []
        for step in range(4):
            batch.clear()
            for index in (2 * step, 2 * step + 1):
                batch.add(*data[index % 4])
            assert len(batch) == 2 and batch.num_tokens > 2
            added = session.forward_backward(batch)
            metrics = session.optimizer_step()
            assert metrics is not None and metrics.step == step + 1
            assert added.mean == pytest.approx(metrics.loss, rel=1e-12)
            seen.append(metrics.loss)
        assert seen == expected
        session.forward_backward(batch)
        assert session.optimizer_step() is None


def test_gradients_add_up_and_weights_count(in_order: ilt.Options) -> None:
    without = dataclasses.replace(in_order, data_path=None, max_steps=10)
    with ilt.Dataset(in_order) as data, ilt.Session(without) as one, ilt.Session(without) as two:
        one.forward_backward(ilt.Batch([data[0], data[1]]))
        for index in (0, 1):
            two.forward_backward(ilt.Batch([data[index]]))
        first, second = one.optimizer_step(), two.optimizer_step()
        assert first is not None and second is not None
        assert first.grad_norm == pytest.approx(second.grad_norm, rel=1e-5)
        with ilt.Batch() as halves:
            ids, labels = data[0]
            halves.add(ids, labels, [0.5] * len(ids))
            half = one.forward_backward(halves)
            one.zero_grad()
            whole = one.forward_backward(ilt.Batch([data[0]]))
            assert half.loss == pytest.approx(whole.loss / 2, rel=1e-6)
            assert half.weight == whole.weight / 2
        with pytest.raises(ilt.InvalidStateError):
            one.step()
        one.zero_grad()
        with pytest.raises(ilt.InvalidStateError):
            one.optimizer_step()


def test_what_no_sample_can_be_is_refused() -> None:
    with ilt.Batch() as batch:
        for wrong in (([],), ([-1],), ([1, 2], [1, -5]), ([1, 2], None, [1.0, math.nan])):
            with pytest.raises(ilt.InvalidArgumentError):
                batch.add(*wrong)
        with pytest.raises(ValueError, match="1 labels for 2"):
            batch.add([1, 2], [1])
        with pytest.raises(ValueError, match="3 weights for 2"):
            batch.add([1, 2], None, [1, 1, 1])
        with pytest.raises(TypeError):
            batch.add([1, 2], None, ["a", "b"])  # type: ignore[list-item]
        assert len(batch) == 0


def test_evaluation_is_that_of_a_run(options: ilt.Options) -> None:
    wanted = dataclasses.replace(options, validation_data_path=f"{MODEL}.jsonl")
    with ilt.Session(wanted) as session, ilt.Dataset(options) as data:
        before = session.evaluate()
        assert before == session.evaluate(data)
        session.run()
        assert session.evaluate().loss == session.metrics.eval_loss < before.loss
        with ilt.CancelToken() as token:
            token.cancel()
            with pytest.raises(ilt.CancelledError):
                session.evaluate(data, cancel=token)


def test_the_learning_rate_is_set_live(options: ilt.Options) -> None:
    with ilt.Session(options) as session:
        scheduled = [metrics.lr for metrics in session.steps()]
    with ilt.Session(options) as session:
        session.set_lr(5e-4)
        rates = []
        for metrics in session.steps():
            rates.append(metrics.lr)
            session.set_lr(None)
        assert rates == [5e-4, *scheduled[1:]]
        with pytest.raises(ilt.InvalidArgumentError):
            session.set_lr(-2)
        assert not session.poisoned


def test_epochs_make_up_a_run(options: ilt.Options) -> None:
    told: list[ilt.EventType] = []
    with ilt.Session(options, callbacks=[lambda event: told.append(event.type)]) as session:
        ends = []
        while (result := session.run_epoch()) is not None:
            assert not result.stopped
            ends.append(result.metrics.step)
        last = session.metrics.loss
    assert ends == [2, 4] and told.count(ilt.EventType.EPOCH_END) == 2
    assert last == losses(options)[-1]


def test_a_full_state_is_gone_back_to(options: ilt.Options, tmp_path: pathlib.Path) -> None:
    with ilt.Session(options) as session:
        session.step()
        session.save(tmp_path / "state", "full_state")
        after = [metrics.loss for metrics in session.steps()]
        session.load(tmp_path / "state")
        assert session.metrics.step == 1
        assert [metrics.loss for metrics in session.steps()] == after
        with pytest.raises(ilt.NotFoundError):
            session.load(tmp_path / "nothing")


def test_memory_is_estimated(options: ilt.Options) -> None:
    with ilt.Session(options) as session:
        parameters = session.model_info()["parameters"]
    estimate = options.memory_estimate()
    assert estimate["weights"] == 4 * parameters and estimate["optimizer"] == 8 * parameters
    assert estimate["tokens"] == options.max_batch_len
    assert estimate["total"] == sum(estimate[part] for part in estimate if part not in ("total", "tokens"))
    with pytest.raises(ilt.ConfigError):
        ilt.Options(model_path=MODEL).memory_estimate()
