"""Tokenizer: a model's tokenizer and chat template."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, SupportsIndex

from . import _native
from ._handle import Handle

__all__ = ["Tokenizer"]


class Tokenizer(Handle):
    """The tokenizer, and the chat template if there is one, of a Hugging Face folder or a GGUF file.

    It never changes: all calls may overlap.
    """

    __slots__ = ()
    _free = _native.ilt_tokenizer_free

    def __init__(self, model_path: str | os.PathLike[str]) -> None:
        super().__init__(_native.ilt_tokenizer_load(os.fspath(model_path)))

    @property
    def vocab_size(self) -> int:
        """The largest token id + 1, added tokens included."""
        size: int = self._call(_native.ilt_tokenizer_vocab_size)
        return size

    def __len__(self) -> int:
        return self.vocab_size

    def encode(self, text: str, *, add_special: bool = False) -> list[int]:
        """Token ids of a text. `add_special` adds what goes round one (BOS, EOS); rendered chat has its own."""
        ids: list[int] = self._call(_native.ilt_tokenizer_encode, text, int(add_special))
        return ids

    def decode(self, ids: Sequence[SupportsIndex], *, skip_special: bool = False) -> str:
        """The text of token ids."""
        text: str = self._call(_native.ilt_tokenizer_decode, ids, int(skip_special))
        return text

    def render_chat(self, messages: Sequence[Mapping[str, Any]], *, add_generation_prompt: bool = False) -> str:
        """Messages, `[{"role": ..., "content": ...}, ...]`, through the chat template.

        `add_generation_prompt` ends with what opens the assistant's turn.
        """
        text: str = self._call(_native.ilt_tokenizer_render_chat, json.dumps(list(messages)), int(add_generation_prompt))
        return text

    def apply_chat(self, record: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> tuple[list[int], list[int]]:
        """Token ids and labels of one chat record, as training would make them.

        The record is of any chat format, or a list of messages. A label is -100 where nothing is learnt.
        """
        pair: tuple[list[int], list[int]] = self._call(_native.ilt_tokenizer_apply_chat, json.dumps(record))
        return pair
