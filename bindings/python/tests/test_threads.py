"""Threads and processes: the GIL, handles in use, sessions side by side, fork()."""

from __future__ import annotations

import multiprocessing
import os
import threading
from concurrent.futures import ThreadPoolExecutor

import ilt
import pytest
from conftest import losses


def test_python_goes_on_while_libilt_trains(long_options: ilt.Options) -> None:
    with ilt.CancelToken() as token, ilt.Session(long_options) as session, ThreadPoolExecutor(1) as pool:
        run = pool.submit(session.run, cancel=token)
        while session.metrics.step < 3:  # from this thread, meanwhile
            pass
        with pytest.raises(ilt.BusyError):
            session.step()
        with pytest.raises(ilt.BusyError, match="in use"):
            session.close()
        session.request_save()
        token.cancel()
        assert run.result().stopped


def test_an_exception_belongs_to_the_thread_that_trains(long_options: ilt.Options) -> None:
    reached, tried = threading.Event(), threading.Event()

    def fail(event: ilt.Event) -> None:
        if event.metrics.step == 2:
            reached.set()
            tried.wait()
            raise LookupError("mine")

    with ilt.Session(long_options, callbacks=[fail]) as session, ThreadPoolExecutor(1) as pool:
        run = pool.submit(session.run)
        reached.wait()
        with pytest.raises(ilt.BusyError):
            session.step()
        tried.set()
        with pytest.raises(LookupError, match="mine"):
            run.result()


def test_two_sessions_at_once_have_the_losses_of_each_alone(options: ilt.Options) -> None:
    alone = losses(options)
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(losses, [options, options])) == [alone, alone]
    assert losses(options) == alone


def test_a_session_moves_between_threads(options: ilt.Options) -> None:
    with ilt.Session(options) as session:
        seen = []
        for _ in range(4):
            with ThreadPoolExecutor(1) as pool:
                metrics = pool.submit(session.step).result()
                assert metrics is not None
                seen.append(metrics.loss)
    assert seen == losses(options)


def test_a_forked_child_is_told_to_spawn(session: ilt.Session) -> None:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            session.step()
        except ilt.ForkedError as error:
            os.write(writing, (f"{error} {error.__notes__}").encode())
        session.close()
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as answer:
        text = answer.read()
    assert "fork()" in text and "'spawn'" in text
    assert session.step() is not None


def test_a_spawned_child_trains(options: ilt.Options) -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(losses, [options]) == losses(options)
