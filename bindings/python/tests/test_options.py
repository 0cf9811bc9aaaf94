"""Options and Config: typed and by name, checked, and generated from the library's own schema."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import pathlib
import types

import ilt
import pytest
from conftest import MODEL, SOURCE


def tool(name: str) -> types.ModuleType:
    """A script of bindings/python/tools, as a module."""
    path = SOURCE / "bindings/python/tools" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_fields_are_those_of_the_library() -> None:
    made = (SOURCE / "bindings/python/src/ilt/_options.py").read_text(encoding="utf-8")
    assert made == tool("make_options").render(ilt.schema()), "run `make generate`"


def test_defaults_are_those_of_the_library() -> None:
    options = ilt.Options(model_path="m")
    assert options.as_dict() == {"model_path": "m"}
    with options.to_config() as config:
        values = config.as_dict()
    for field in dataclasses.fields(options):
        if field.name != "model_path" and field.default is not None:
            default = list(field.default) if isinstance(field.default, tuple) else field.default
            assert values[field.name] == default, field.name


def test_round_trip(tmp_path: pathlib.Path) -> None:
    options = ilt.Options(
        model_path="m",
        data_path=("a.jsonl", "b.jsonl"),
        data_weights=(1, 0.5),
        effective_batch_size=8,
        betas=(0.9, 0.99),
        shuffle=False,
        lr_scheduler="linear",
        freeze=("model.embed*",),
    )
    with options.to_config() as config:
        again = ilt.Options.from_config(config)
    assert again == dataclasses.replace(options, betas=None, beta1=0.9, beta2=0.99)  # another spelling of betas
    path = tmp_path / "run.json"
    path.write_text(options.to_json())
    assert ilt.Options.from_file(path) == again


def test_paths_and_other_spellings() -> None:
    given = {"model_name_or_path": MODEL, "random_seed": 7, "adamw_betas": [0.8, 0.9]}
    options = ilt.Options.from_dict(given)
    assert (options.model_path, options.seed) == (str(MODEL), 7)
    assert options.max_seq_len is None and options.data_path is None


def test_what_cannot_be_is_named() -> None:
    with pytest.raises(ilt.ConfigError) as caught:
        ilt.Options(model_path="m", learning_rate=-1).to_config()
    assert caught.value.detail == {"key": "learning_rate", "got": "-1", "expected": "a number > 0"}
    with pytest.raises(ilt.ConfigError, match="learning_rate") as caught:
        ilt.Options.from_dict({"model_path": "m", "learning_rat": 1})
    assert caught.value.detail["nearest"] == "learning_rate"
    with pytest.raises(TypeError, match="unknown option 'learning_rat'; did you mean 'learning_rate'"):
        ilt.Options(model_path="m", learning_rat=1)  # type: ignore[call-arg]
    with pytest.raises(AttributeError):
        ilt.Options(model_path="m").learning_rat = 1  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="no value of an option"):
        ilt.Options(model_path="m", seed=object()).to_json()  # type: ignore[arg-type]


def test_validate() -> None:
    ilt.Options(model_path="m").validate()
    with pytest.raises(ilt.ConfigError) as caught:
        ilt.Options(model_path="m", data_path="d").validate()
    assert caught.value.detail["key"] in {"effective_batch_size", "max_batch_len", "max_seq_len", "learning_rate"}


def test_config_takes_texts_and_values() -> None:
    with ilt.Config({"model_path": MODEL}) as config:
        config["learning_rate"] = "1e-5"
        config["shuffle"] = False
        config["freeze"] = ["a", "b"]
        assert (config["learning_rate"], config["shuffle"]) == ("1e-05", "false")
        assert json.loads(config["freeze"]) == ["a", "b"]
        assert config.as_dict()["model_path"] == str(MODEL)
        with pytest.raises(ilt.ConfigError):
            config["nothing"]
        assert "freeze" in config and "nothing" not in config
        config.validate()
    assert config.closed
    with pytest.raises(ilt.FormatError):
        ilt.Config.from_json("{")


def test_numbers_of_numpy_are_numbers() -> None:
    numpy = pytest.importorskip("numpy")
    options = ilt.Options(model_path="m", seed=numpy.int64(3), data_weights=numpy.array([1.0, 0.5]))
    assert json.loads(options.to_json()) == {"model_path": "m", "seed": 3, "data_weights": [1.0, 0.5]}
