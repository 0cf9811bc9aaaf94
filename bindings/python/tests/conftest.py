"""What the tests share: the tiny model that ctest's fixture capi_model makes, options to train it, and repeatable runs."""

from __future__ import annotations

import dataclasses
import os
import pathlib
from collections.abc import Iterator
from typing import Any

import ilt
import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("ILT_BUILD", SOURCE / "build"))
MODEL = BUILD / "tests/capi/model"
RECORD = {"messages": [{"role": "user", "content": "Two and two?"}, {"role": "assistant", "content": "Four."}]}


@pytest.fixture(scope="session", autouse=True)
def tiny_model() -> None:
    assert (MODEL / "config.json").exists(), f"{MODEL} is missing: run `ctest -R capi_model` in the build folder"


@pytest.fixture
def options() -> ilt.Options:
    """Four steps in two epochs."""
    return ilt.Options(
        model_path=MODEL,
        data_path=f"{MODEL}.jsonl",
        effective_batch_size=2,
        max_seq_len=128,
        max_batch_len=256,
        learning_rate=1e-3,
        num_epochs=2,
        num_threads=1,
    )


@pytest.fixture
def long_options(options: ilt.Options) -> ilt.Options:
    """More steps than a test waits for."""
    return dataclasses.replace(options, max_steps=1_000_000)


@pytest.fixture
def session(options: ilt.Options) -> Iterator[ilt.Session]:
    with ilt.Session(options) as made:
        yield made


def losses(options: ilt.OptionsLike, **arguments: Any) -> list[float]:
    """Of each step of a session of its own."""
    with ilt.Session(options, **arguments) as session:
        return [metrics.loss for metrics in session.steps()]
