"""Callbacks: what they are told, how they stop a run, and exceptions that pass through libilt unharmed."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import signal
import threading
import time

import ilt
import pytest
from conftest import RECORD


class Recorder(ilt.Callback):
    """Notes the types of events."""

    def __init__(self) -> None:
        self.types: list[str] = []
        self.paths: list[str] = []

    def __call__(self, event: ilt.Event, /) -> object:
        self.types.append(event.type.name)
        return super().__call__(event)

    def on_checkpoint(self, event: ilt.Event) -> None:
        assert event.path is not None
        self.paths.append(event.path)


def test_all_kinds_of_events_are_told(options: ilt.Options, tmp_path: pathlib.Path) -> None:
    recorder = Recorder()
    wanted = dataclasses.replace(options, ckpt_output_dir=tmp_path, validation_split=0.25, validation_frequency=1)
    with ilt.Session(wanted, callbacks=[recorder]) as session:
        session.run()
    assert recorder.types[0] == "RUN_BEGIN" and recorder.types[-1] == "RUN_END"
    assert set(recorder.types) == {kind.name for kind in ilt.EventType}
    assert recorder.paths and all(pathlib.Path(path).is_dir() for path in recorder.paths)
    records = ilt.read_metrics(tmp_path)
    assert [r["step"] for r in records if "loss" in r] == [m + 1 for m in range(recorder.types.count("STEP_END"))]
    assert sum("val_loss" in r for r in records) == recorder.types.count("EVAL_END")


def test_a_method_that_no_event_calls_is_refused() -> None:
    with pytest.raises(TypeError, match="on_step_ends would never be called; callbacks have .*on_step_end,"):

        class Typo(ilt.Callback):
            def on_step_ends(self, event: ilt.Event) -> None:
                """Never called."""


def test_a_true_result_stops_after_the_step(session: ilt.Session) -> None:
    told = Recorder()
    session.callbacks += [lambda event: event.metrics.step == 2, told]
    result = session.run()
    assert result.stopped and result.metrics.step == 2
    assert told.types.count("STEP_END") == 2  # those after the one that stops are told as well
    session.callbacks.clear()
    assert not session.run().stopped
    assert session.metrics.step == 4


def test_an_exception_is_carried_out(session: ilt.Session) -> None:
    class Mine(Exception):
        pass

    def fail(event: ilt.Event) -> None:
        if event.metrics.step == 2:
            raise Mine("from inside")

    session.callbacks.append(fail)
    with pytest.raises(Mine, match="from inside") as caught:
        session.run()
    assert caught.value.__context__ is None
    assert caught.traceback[-1].name == "fail"
    assert session.metrics.step == 2
    session.callbacks.clear()
    assert session.run().metrics.step == 4


def test_an_exception_ends_generation(session: ilt.Session) -> None:
    def fail(token: int) -> None:
        raise LookupError(str(token))

    with pytest.raises(LookupError):
        session.generate([1, 2, 3], on_token=fail)


def test_a_callback_may_look_and_save_but_not_train(session: ilt.Session, tmp_path: pathlib.Path) -> None:
    def look(event: ilt.Event) -> None:
        assert session.metrics.step == event.metrics.step
        if event.type is ilt.EventType.STEP_END and event.metrics.step == 1:
            session.save(tmp_path / "model")
            session.generate([1, 2, 3], max_new_tokens=2)
            with pytest.raises(ilt.InvalidStateError, match="inside a callback"):
                session.run()
            with pytest.raises(ilt.BusyError, match="in use"):
                session.close()

    session.callbacks.append(look)
    session.run()
    assert (tmp_path / "model" / "config.json").exists()


def test_interrupting_from_the_keyboard_stops_between_steps(long_options: ilt.Options) -> None:
    def interrupt() -> None:
        while session.metrics.step < 2:
            time.sleep(0.01)
        signal.raise_signal(signal.SIGINT)

    with ilt.Session(long_options) as session:
        keyboard = threading.Thread(target=interrupt)
        keyboard.start()
        with pytest.raises(KeyboardInterrupt):
            session.run()
        keyboard.join()
        step = session.metrics.step
        assert step >= 2
        following = session.step()
        assert following is not None and following.step == step + 1


def interrupt_soon() -> threading.Timer:
    """Ctrl-C, as a terminal sends it."""
    keyboard = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
    keyboard.start()
    return keyboard


def test_interrupting_an_evaluation(options: ilt.Options) -> None:
    with ilt.Session(options) as session, ilt.Dataset(dataclasses.replace(options, data_path=None)) as data:
        expected = session.evaluate(small := ilt.Dataset(options))
        data.extend([RECORD] * 4_000)
        token = ilt.CancelToken()
        keyboard = interrupt_soon()
        with pytest.raises(KeyboardInterrupt):
            session.evaluate(data, cancel=token)
        keyboard.join()
        assert token.cancelled
        assert session.evaluate(small) == expected


def test_interrupting_the_reading_of_data(options: ilt.Options, tmp_path: pathlib.Path) -> None:
    data = tmp_path / "long.jsonl"
    data.write_text((json.dumps(RECORD) + "\n") * 200_000, encoding="utf-8")
    token = ilt.CancelToken()
    keyboard = interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        ilt.Dataset(dataclasses.replace(options, data_path=data), cancel=token)
    keyboard.join()
    assert token.cancelled


def test_the_same_while_the_log_is_written(long_options: ilt.Options, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("DEBUG", logger="ilt"), ilt.Session(long_options) as session:
        session.callbacks.append(lambda event: signal.raise_signal(signal.SIGINT) if event.metrics.step == 3 else None)
        with pytest.raises(KeyboardInterrupt):
            session.run()
        assert session.metrics.step == 3


def test_a_token_stops_a_run_from_another_thread(long_options: ilt.Options) -> None:
    with ilt.CancelToken() as token, ilt.Session(long_options) as session:
        threading.Timer(0.2, token.cancel).start()
        assert session.run(cancel=token).stopped
        assert token.cancelled


def test_a_token_stops_from_a_signal_handler(long_options: ilt.Options) -> None:
    token = ilt.CancelToken()
    before = signal.signal(signal.SIGUSR1, lambda *_: token.cancel())
    try:
        with ilt.Session(long_options) as session:
            threading.Timer(0.2, signal.raise_signal, [signal.SIGUSR1]).start()
            begin = time.monotonic()
            assert session.run(cancel=token).stopped
            assert time.monotonic() - begin < 20
    finally:
        signal.signal(signal.SIGUSR1, before)
