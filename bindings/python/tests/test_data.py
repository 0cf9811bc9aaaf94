"""Data sets and tokenizers: from records, from files, and what is learnt of them."""

from __future__ import annotations

import dataclasses
import json
import pathlib

import ilt
import pytest
from conftest import MODEL, RECORD, losses


def test_a_tokenizer_encodes_and_decodes() -> None:
    with ilt.Tokenizer(MODEL) as tokenizer:
        ids = tokenizer.encode("hello")
        assert tokenizer.decode(ids) == "hello"
        assert tokenizer.encode("") == [] and tokenizer.decode([]) == ""
        assert max(ids) < len(tokenizer) == tokenizer.vocab_size
        with pytest.raises(ilt.InvalidArgumentError):
            tokenizer.decode([10**6])
        with pytest.raises(ilt.DataError, match="UTF-8"):
            tokenizer.encode("\udcff")


def test_chat_is_rendered_and_masked() -> None:
    with ilt.Tokenizer(MODEL) as tokenizer:
        text = tokenizer.render_chat(RECORD["messages"])
        assert "Two and two?" in text and "Four." in text
        opened = tokenizer.render_chat(RECORD["messages"][:1], add_generation_prompt=True)
        assert text.startswith(opened)
        ids, labels = tokenizer.apply_chat(RECORD)
        assert tokenizer.apply_chat(RECORD["messages"]) == (ids, labels)
        learnt = [label for label in labels if label != -100]
        assert tokenizer.decode(learnt).startswith("Four.")
        assert all(label in (-100, token) for token, label in zip(ids, labels, strict=True))


def test_records_become_samples() -> None:
    with ilt.Tokenizer(MODEL) as tokenizer, ilt.Dataset({"model_path": MODEL, "max_seq_len": 128}) as data:
        assert data.add(RECORD)
        assert not data.add({"messages": [RECORD["messages"][0], {"role": "assistant", "content": "x" * 500}]})
        assert len(data) == 1 and data.num_tokens == len(data[0].ids)
        assert (data[0].ids, data[0].labels) == tokenizer.apply_chat(RECORD)
        assert data[-1] == data[0] and list(data) == [data[0]]
        with pytest.raises(IndexError):
            data[1]
        stats = data.stats(max_batch_len=256, effective_batch_size=1)
        assert stats["records"] == 2 and stats["samples"] == 1 and "packing" in stats
        with pytest.raises(ilt.DataError):
            data.add({"messages": 1})


def test_processed_data_trains_as_its_records(options: ilt.Options, tmp_path: pathlib.Path) -> None:
    told: list[ilt.Progress] = []
    path = tmp_path / "data.safetensors"
    assert ilt.process(options, path, progress=told.append)
    assert told[-1].records == 4 and told[-1].bytes_done == told[-1].bytes_total
    with ilt.Dataset.open(path) as data, ilt.Dataset(options) as same:
        assert list(data) == list(same)
    assert losses(dataclasses.replace(options, data_path=path)) == losses(options)


def test_processing_stops_and_goes_on(options: ilt.Options, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "data.safetensors"
    assert not ilt.process(options, path, progress=lambda progress: True)
    assert not path.exists()

    def fail(progress: ilt.Progress) -> None:
        raise LookupError("from inside")

    with pytest.raises(LookupError, match="from inside"):
        ilt.process(options, tmp_path / "other.safetensors", progress=fail)
    assert ilt.process(options, path)
    assert path.exists()


def test_a_cancelled_reading_has_no_result(options: ilt.Options) -> None:
    with ilt.CancelToken() as token:
        token.cancel()
        with pytest.raises(ilt.CancelledError):
            ilt.Dataset(options, cancel=token)


def test_a_bad_record_is_named(options: ilt.Options, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(json.dumps(RECORD) + "\n{\n")
    with pytest.raises(ilt.DataError) as caught:
        ilt.Dataset(dataclasses.replace(options, data_path=path))
    assert (caught.value.detail["file"], caught.value.detail["line"]) == (str(path), 2)
