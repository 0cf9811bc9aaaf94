"""Options: all options of a run as a typed dataclass."""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import functools
import json
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Self, TypeAlias, TypeVar

from ._options import OptionFields
from .config import Config, schema

__all__ = ["Options", "OptionsLike"]

_T = TypeVar("_T", bound=OptionFields)


def _names_the_nearest(options: type[_T]) -> type[_T]:
    """Makes a dataclass tell what is nearest to an unknown option, which its own error does not."""
    create: Callable[..., None] = options.__init__
    known = [field.name for field in dataclasses.fields(options)]

    @functools.wraps(create)
    def init(self: _T, *values: Any, **named: Any) -> None:
        for name in (name for name in named if name not in known):
            nearest = difflib.get_close_matches(name, known, 1)
            raise TypeError(f"unknown option {name!r}" + (f"; did you mean {nearest[0]!r}?" if nearest else ""))
        create(self, *values, **named)

    options.__init__ = init  # type: ignore[assignment,method-assign]
    return options


@_names_the_nearest
class Options(OptionFields):
    """All options of a run, by name, typed, with their defaults; docs/config.md describes them.

        options = ilt.Options(model_path="granite-2b", data_path="chats.jsonl", effective_batch_size=16,
                              max_seq_len=2048, max_batch_len=4096, learning_rate=1e-5)

    None stands for an option that is not set. `dataclasses.replace(options, seed=1)` makes a variant.
    """

    __slots__ = ()

    @classmethod
    def from_config(cls, config: Config) -> Self:
        """The values of a Config."""
        values = config.as_dict()
        values.update({name: tuple(value) for name, value in values.items() if isinstance(value, list)})
        needed = (name for name, option in schema()["properties"].items() if option.get("x-required") == "training")
        unset: dict[str, Any] = {"model_path": "", **dict.fromkeys(needed)}
        return cls(**unset | values)

    @classmethod
    def from_dict(cls, options: Mapping[str, Any]) -> Self:
        """From names and values, checked; also with InstructLab's names (`random_seed`)."""
        with Config.from_json(_to_json(options)) as config:
            return cls.from_config(config)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Self:
        """From a JSON file, as `ilt train --config` takes it."""
        with Config.from_file(path) as config:
            return cls.from_config(config)

    def as_dict(self) -> dict[str, Any]:
        """The options that differ from their defaults."""
        changed = {}
        for field in dataclasses.fields(self):
            value, default = _as_list(getattr(self, field.name)), _as_list(field.default)
            if value != default:
                changed[field.name] = value
        return changed

    def to_json(self) -> str:
        """The options that differ from their defaults, as Options.from_file() and `ilt train --config` take them."""
        return _to_json(self.as_dict())

    def to_config(self) -> Config:
        """A Config with these values; raises ConfigError for one that cannot be."""
        return Config.from_json(self.to_json())

    def validate(self) -> None:
        """Raises ConfigError for options that are missing or contradict each other; no file is looked at."""
        with self.to_config() as config:
            config.validate()

    def memory_estimate(self) -> dict[str, int]:
        """The host's memory that a session takes to train, as Config.memory_estimate() tells it."""
        with self.to_config() as config:
            return config.memory_estimate()


OptionsLike: TypeAlias = Options | Config | Mapping[str, Any]
"""What functions take as options: typed ones, a Config, or a mapping by name."""


def _to_json(options: Mapping[str, Any]) -> str:
    return json.dumps(dict(options), default=_plain)


def _as_list(value: Any) -> Any:
    """Lists for tuples and NumPy's arrays, numbers for NumPy's; other values as they are."""
    if isinstance(value, tuple):
        return list(value)
    return value.tolist() if hasattr(value, "tolist") else value


def _plain(value: object) -> Any:
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if _as_list(value) is not value:
        return _as_list(value)
    if isinstance(value, Iterable):
        return list(value)
    raise TypeError(f"{type(value).__name__} is no value of an option")


def as_config(options: OptionsLike) -> AbstractContextManager[Config]:
    """A Config with the options, which is closed at the end unless it is the caller's."""
    if isinstance(options, Config):
        return contextlib.nullcontext(options)
    return Config.from_json(options.to_json() if isinstance(options, Options) else _to_json(options))
