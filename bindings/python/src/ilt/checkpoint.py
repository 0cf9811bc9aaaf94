"""Checkpoints on disk: list, verify, describe, compare and export the full states of runs; convert models."""

from __future__ import annotations

import dataclasses
import json
import os
from typing import Any, Literal

from . import _native

__all__ = ["Checkpoint", "diff", "export", "export_model", "info", "list_states", "verify"]

StrPath = str | os.PathLike[str]


@dataclasses.dataclass(frozen=True, slots=True)
class Checkpoint:
    """A full state under a run's ckpt_output_dir: what the option `resume` takes."""

    step: int
    path: str
    bytes: int | None
    """None where it is not complete."""
    fault: str | None
    """Why it is not complete, else None."""


def list_states(output_dir: StrPath) -> list[Checkpoint]:
    """The full states of a run, oldest first. Reads no tensors: verify() does."""
    records = json.loads(_native.ilt_checkpoint_list_json(os.fspath(output_dir)))
    return [Checkpoint(r["step"], r["path"], r.get("bytes"), r.get("fault")) for r in records]


def verify(path: StrPath) -> None:
    """Reads every file of a full state; raises FormatError for the first whose size or checksum differs."""
    _native.ilt_checkpoint_verify(os.fspath(path))


def info(path: StrPath) -> dict[str, Any]:
    """What a full state says of its run: step, epoch, samples_seen, tokens_seen, config, files, ..."""
    facts: dict[str, Any] = json.loads(_native.ilt_checkpoint_info_json(os.fspath(path)))
    return facts


def diff(a: StrPath, b: StrPath) -> dict[str, Any]:
    """How two full states differ: equal, run, options, tensors (file, name, max_abs, relative), same_tensors."""
    facts: dict[str, Any] = json.loads(_native.ilt_checkpoint_diff_json(os.fspath(a), os.fspath(b)))
    return facts


def export(
    state_path: StrPath,
    out_path: StrPath,
    *,
    model_path: StrPath | None = None,
    save_dtype: Literal["float32", "bfloat16", "float16"] | None = None,
) -> None:
    """Writes the weights of a full state as a folder that transformers loads; the state is verified first.

    model_path is the folder of the model that was trained, by default where the run found it.
    """
    given = {"model_path": None if model_path is None else os.fspath(model_path), "save_dtype": save_dtype}
    options = {key: value for key, value in given.items() if value is not None}
    _native.ilt_checkpoint_export(os.fspath(state_path), os.fspath(out_path), json.dumps(options))


def export_model(
    model_path: StrPath,
    out_path: StrPath,
    *,
    format: Literal["gguf", "hf"],
    dtype: Literal["float32", "bfloat16", "float16", "q8_0"] | None = None,
) -> None:
    """Writes a model (a Hugging Face folder or a GGUF file) in another format: a GGUF file, or a folder.

    dtype is by default that of the model's weights; q8_0 is for GGUF.
    """
    options = {"format": format} if dtype is None else {"format": format, "dtype": dtype}
    _native.ilt_model_export(os.fspath(model_path), os.fspath(out_path), json.dumps(options))
