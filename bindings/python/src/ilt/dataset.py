"""Dataset: token ids, and which of them are learnt."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Self

from . import _logging, _native
from ._callbacks import Trampoline
from ._handle import Handle, Held
from ._interrupt import interruptibly
from .cancel import CancelToken
from .errors import CancelledError
from .options import OptionsLike, as_config

__all__ = ["Dataset", "Progress", "Sample", "process"]


class Sample(NamedTuple):
    """One sample: `labels[i]` is `ids[i]` where the token is learnt, else -100."""

    ids: list[int]
    labels: list[int]


class Progress(NamedTuple):
    """How far a long reading of data is."""

    records: int
    bytes_done: int
    bytes_total: int
    """Of the input files."""


def _free_outcome(outcome: Any) -> None:
    if not isinstance(outcome, int):
        _native.ilt_dataset_free(outcome[1])


class Dataset(Handle):
    """A data set in memory: the records of the options' data_path, or, where that is empty, those of add().

    Reading and tokenising follow the options, as in training.
    """

    __slots__ = ()
    _free = _native.ilt_dataset_free

    def __init__(
        self,
        options: OptionsLike,
        records: Iterable[Mapping[str, Any]] = (),
        *,
        cancel: CancelToken | None = None,
    ) -> None:
        _logging.sync()
        with as_config(options) as config, Held(config) as pointer:
            outcome = interruptibly(_native.ilt_dataset_create, pointer, cancel=cancel, discard=_free_outcome)
        if isinstance(outcome, int):
            raise CancelledError("reading the data was cancelled", _native.ILT_STOPPED)
        super().__init__(outcome[1])
        self.extend(records)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Maps a file that process() has written, and checks it."""
        dataset = cls.__new__(cls)
        Handle.__init__(dataset, _native.ilt_dataset_open(os.fspath(path)))
        return dataset

    def add(self, record: Mapping[str, Any]) -> bool:
        """Adds one record, of any format that files may have. False where it is left out: stats() counts why."""
        return bool(self._call(_native.ilt_dataset_add, json.dumps(record)))

    def extend(self, records: Iterable[Mapping[str, Any]]) -> int:
        """Adds records; returns how many were kept."""
        return sum(self.add(record) for record in records)

    def __len__(self) -> int:
        """How many samples there are."""
        count: int = self._call(_native.ilt_dataset_num_samples)
        return count

    @property
    def num_tokens(self) -> int:
        """Of all samples."""
        count: int = self._call(_native.ilt_dataset_num_tokens)
        return count

    def __getitem__(self, index: int) -> Sample:
        """One sample; from the end for a negative index."""
        count = len(self)
        if not -count <= index < count:
            raise IndexError(f"sample {index} of {count}")
        return Sample(*self._call(_native.ilt_dataset_sample, index % count))

    def __iter__(self) -> Iterator[Sample]:
        return (self[index] for index in range(len(self)))

    def stats(
        self, *, max_batch_len: int | None = None, effective_batch_size: int | None = None, ranks: int | None = None
    ) -> dict[str, Any]:
        """What became of the records, and the lengths of the samples.

        With max_batch_len, `packing` tells how full micro-batches of so many tokens would be.
        """
        given = {"max_batch_len": max_batch_len, "effective_batch_size": effective_batch_size, "ranks": ranks}
        options = {key: value for key, value in given.items() if value is not None}
        facts: dict[str, Any] = json.loads(self._call(_native.ilt_dataset_stats_json, json.dumps(options)))
        return facts


def process(
    options: OptionsLike,
    out_path: str | os.PathLike[str],
    *,
    progress: Callable[[Progress], object] | None = None,
    cancel: CancelToken | None = None,
) -> bool:
    """Reads the records of data_path and writes their samples to a file that data_path then takes.

    It uses all cores, and memory does not grow with the data. `progress` is told how far it is; what it returns stops
    it if true. Returns whether it came to the end: stopped (or killed), the same call goes on where it was.
    """

    def tell(*numbers: int) -> object:
        return None if progress is None else progress(Progress(*numbers))

    _logging.sync()
    trampoline = Trampoline(tell)
    with as_config(options) as config, Held(config) as pointer, Held(cancel) as token:
        status = trampoline.carry(_native.ilt_dataset_process, pointer, os.fspath(out_path), trampoline, token)
    return bool(status != _native.ILT_STOPPED)
