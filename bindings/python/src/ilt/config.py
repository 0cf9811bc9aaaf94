"""Config: options by name, as libilt holds them; and the schema that describes them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any, Self

from . import _native
from ._handle import Handle

__all__ = ["Config", "schema"]


def schema() -> dict[str, Any]:
    """All options as a JSON Schema: type, bounds, choices, default, description, other spellings (`x-aliases`)."""
    options: dict[str, Any] = json.loads(_native.ilt_config_schema_json())
    return options


def _as_text(value: object) -> str:
    if isinstance(value, str | os.PathLike):
        return os.fspath(value)
    return json.dumps(value)


class Config(Handle):
    """Options by name, with InstructLab's spellings, checked as they are set.

    `ilt.Options` is the typed way; this one takes names and texts from elsewhere, such as a command line:

        config = ilt.Config({"model_path": "granite-2b"})
        config["learning_rate"] = "1e-5"
    """

    __slots__ = ()
    _free = _native.ilt_config_free

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(_native.ilt_config_create())
        for key, value in (options or {}).items():
            self[key] = value

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """From one JSON object of options."""
        config = cls.__new__(cls)
        Handle.__init__(config, _native.ilt_config_from_json(text))
        return config

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Self:
        """From a JSON file, as `ilt train --config` takes it."""
        with open(path, "rb") as file:
            return cls.from_json(file.read())

    def __setitem__(self, key: str, value: object) -> None:
        """Sets one option: to a value of its type, or to text (a list as JSON, or as its only element)."""
        self._call(_native.ilt_config_set, key, _as_text(value))

    def __getitem__(self, key: str) -> str:
        """The value of one option as text (a list as JSON)."""
        text: str = self._call(_native.ilt_config_get, key)
        return text

    def __iter__(self) -> Iterator[str]:
        """The names of all options."""
        return iter(self.as_dict())

    def validate(self) -> None:
        """Raises ConfigError for required options that are missing, and for options that contradict each other.

        With data_path set, all that training needs is checked; without it, what scoring and generating need. Files are
        not looked at.
        """
        self._call(_native.ilt_config_validate)

    def memory_estimate(self) -> dict[str, int]:
        """The host's memory that a session takes to train, in bytes: weights, gradients, optimizer, ..., total.

        `tokens` is the size of the largest micro-batch that it is told for. Reads the model's files, but no weights.
        """
        estimate: dict[str, int] = json.loads(self._call(_native.ilt_memory_estimate_json))
        return estimate

    def to_json(self) -> str:
        """All options with their values, but for required ones that are not set, as one JSON object."""
        text: str = self._call(_native.ilt_config_to_json)
        return text

    def as_dict(self) -> dict[str, Any]:
        """All options with their values, but for required ones that are not set."""
        options: dict[str, Any] = json.loads(self.to_json())
        return options

    def __repr__(self) -> str:
        return f"Config({'closed' if self.closed else self.to_json()})"
