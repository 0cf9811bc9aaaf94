"""Batch: samples of the host's own choosing, for Session.forward_backward()."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import SupportsIndex

from . import _native
from ._handle import Handle

__all__ = ["Batch"]


class Batch(Handle):
    """Any number of samples: token ids, what each is to predict, and how much that counts.

    It may be used with any session, and again after clear(). `ilt.Batch(dataset)` takes the samples of a Dataset.
    """

    __slots__ = ()
    _free = _native.ilt_batch_free

    def __init__(self, samples: Iterable[tuple[Sequence[SupportsIndex], Sequence[SupportsIndex]]] = ()) -> None:
        super().__init__(_native.ilt_batch_create())
        for ids, labels in samples:
            self.add(ids, labels)

    def add(
        self,
        ids: Sequence[SupportsIndex],
        labels: Sequence[SupportsIndex] | None = None,
        weights: Sequence[float] | None = None,
    ) -> None:
        """Adds one sample of at least one token id, which sees no other sample.

        labels[i], what ids[:i] are to predict, is mostly ids[i], or -100 where nothing is learnt; None: all ids.
        weights[i] multiplies the cross-entropy of labels[i] and may be 0 or negative; None: 1. Of the first token,
        neither counts.
        """
        self._call(_native.ilt_batch_add, (ids, labels, weights))

    def clear(self) -> None:
        """Removes all samples, and keeps the memory for the next ones."""
        self._call(_native.ilt_batch_clear)

    def __len__(self) -> int:
        """How many samples there are."""
        samples, _ = self._call(_native.ilt_batch_size)
        return int(samples)

    @property
    def num_tokens(self) -> int:
        """Of all samples."""
        _, tokens = self._call(_native.ilt_batch_size)
        return int(tokens)
