"""Parameters: the model's tensors under the names that its files have, shared with NumPy and torch by DLPack."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from . import _native
from ._handle import Handle
from .errors import NotFoundError, UnsupportedError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Parameter", "Parameters", "SupportsDLPack"]

_CPU = (1, 0)


class SupportsDLPack(Protocol):
    """What tensors and arrays of NumPy, torch, JAX, ... have in common."""

    def __dlpack__(self, *, max_version: tuple[int, int]) -> object: ...


class Parameter:
    """One tensor of the model. `torch.from_dlpack(p)` and `numpy.from_dlpack(p)` look at the session's own memory.

    That memory is read-only to them, changes with each step, and stays there when the session is closed; numpy() is a
    copy. assign() sets the values.
    """

    __slots__ = ("_session", "device", "dtype", "name", "nbytes", "shape", "trained")

    def __init__(self, session: Handle, name: str) -> None:
        facts = json.loads(session._call(_native.ilt_param_info_json, name))
        self._session = session
        self.name: str = name
        self.shape: tuple[int, ...] = tuple(facts["shape"])
        self.dtype: str = facts["dtype"]
        self.device: str = facts["device"]
        self.trained: bool = facts["trained"]
        self.nbytes: int = facts["bytes"]

    def __repr__(self) -> str:
        return f"Parameter({self.name!r}, shape={self.shape}, dtype={self.dtype!r}, trained={self.trained})"

    def __dlpack__(
        self,
        *,
        stream: object = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """The tensor as a DLPack 1 capsule: a view where that is possible and `copy` is not True, else a copy."""
        if max_version is None or max_version[0] < 1:
            raise BufferError("a parameter is handed out by DLPack 1 only: the consumer must give max_version=(1, 0)")
        if stream is not None or dl_device not in (None, _CPU):
            raise BufferError(f"{self.name} is on the CPU")
        if copy:
            return self._session._call(_native.ilt_param_to_dlpack, self.name, 1)
        try:
            return self._session._call(_native.ilt_param_to_dlpack, self.name, 0)
        except UnsupportedError as error:
            if copy is None:
                return self._session._call(_native.ilt_param_to_dlpack, self.name, 1)
            raise BufferError(str(error)) from error

    def __dlpack_device__(self) -> tuple[int, int]:
        """The CPU."""
        return _CPU

    def numpy(self) -> NDArray[Any]:
        """A copy of the values as a NumPy array."""
        import numpy

        return numpy.from_dlpack(self, copy=True)

    def assign(self, source: SupportsDLPack) -> None:
        """Sets the values to those of an array or tensor of the same shape, of a floating type, on the CPU."""
        self._session._call(_native.ilt_param_from_dlpack, self.name, source.__dlpack__(max_version=(1, 0)))


class Parameters(Mapping[str, Parameter]):
    """The parameters of a session by name, in an order that stays."""

    __slots__ = ("_session",)

    def __init__(self, session: Handle) -> None:
        self._session = session

    def __len__(self) -> int:
        count: int = self._session._call(_native.ilt_param_count)
        return count

    def __iter__(self) -> Iterator[str]:
        for index in range(len(self)):
            yield self._session._call(_native.ilt_param_name, index)

    def __getitem__(self, name: str) -> Parameter:
        try:
            return Parameter(self._session, name)
        except NotFoundError as error:
            raise KeyError(str(error)) from error
