#!/usr/bin/env python3
"""Makes tests/data/columnar/files and the Parquet and Arrow files of case D11: the rows of a JSON Lines file as others keep
them.

Usage: columnar_goldens.py   (needs pyarrow and datasets; made with pyarrow 26.0 and datasets 5.2)
"""
import json
import pathlib
import shutil
import tempfile

import datasets
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

TESTS = pathlib.Path(__file__).resolve().parents[2] / "tests"
OUT = TESTS / "data/columnar/files"
CASE = TESTS / "cases/files/D11"
JSON_TEXT = {"ARROW:extension:name": "arrow.json", "ARROW:extension:metadata": ""}


def tool(name, properties):
    return [{"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": properties}}}]


def call(name, **arguments):
    return [{"type": "function", "function": {"name": name, "arguments": arguments}}]


def chat(*turns, **more):
    return {"messages": [{"role": role, "content": content} | rest for role, content, rest in turns], **more}


def said(role, content, **rest):
    return role, content, rest


# No record has a key whose value is null but within the tools' properties, and keys stand in one order.
ROWS = [
    chat(said("user", "Hi"), said("assistant", "Hello you")),
    chat(said("system", "Café\n\"茶\" 👍 \\ \u0001"), said("user", ""), said("assistant", "Tea, please.")),
    chat(said("user", "Weather?"), said("assistant", "", tool_calls=call("weather", city="Oslo", days=2)),
         said("tool", "4 degrees"), said("assistant", "It is 4 degrees.", reasoning_content="kind today")),
    chat(said("user", "2+2?"), said("assistant", "", tool_calls=call("add", terms=[2.0, 2.5])), said("tool", "4.5"),
         said("assistant", "It is 4.5."), tools=tool("add", {"terms": {"type": "array", "default": None}})),
    chat(said("user", "Hi"), said("assistant", "Yes", train=False), said("user", "And?"), said("assistant", "No")),
    chat(said("user", "Hi"), said("assistant", "Yes"), unmask=True, id=7, score=0.5, tags=["a", "b"]),
    chat(said("user", "Hi"), said("assistant", "Yes"), tools=tool("a", {"alpha": {"type": "string"}}), tags=[]),
    chat(said("user", "Hi"), said("assistant", "Yes"), tools=tool("b", {}), unmask=False, id=-3, score=1e-9),
]


def schema(text, of_list, role):
    """The rows' columns, in the types given."""
    arguments = pa.struct([("city", text), ("days", pa.int32()), ("terms", of_list(pa.float64()))])
    function = pa.struct([("name", text), ("arguments", arguments)])
    calls = of_list(pa.struct([("type", text), ("function", function)]))
    message = pa.struct([("role", role), ("content", text), ("tool_calls", calls), ("reasoning_content", text),
                         ("train", pa.bool_())])
    parameters = pa.struct([("type", text), pa.field("properties", text, metadata=JSON_TEXT)])
    tools = pa.struct([("type", text), ("function", pa.struct([("name", text), ("parameters", parameters)]))])
    return pa.schema([("messages", of_list(message)), ("tools", of_list(tools)), ("unmask", pa.bool_()),
                      ("id", pa.int64()), ("score", pa.float32()), ("tags", of_list(text))])


def table(like):
    def with_texts(row):
        row = json.loads(json.dumps(row))
        for each in row.get("tools", []):
            parameters = each["function"]["parameters"]
            parameters["properties"] = json.dumps(parameters["properties"], indent=1)  # line ends and all
        return row

    # pyarrow makes no nested extension types of Python values, but reads them.
    rows = pa.Table.from_pylist([with_texts(row) for row in ROWS], schema=like)
    stream = pa.BufferOutputStream()
    with pa.ipc.new_stream(stream, rows.schema) as writer:
        writer.write_table(rows)
    return pa.ipc.open_stream(stream.getvalue()).read_all()


def write_stream(path, rows, batch_rows):
    """As `datasets` writes its cache."""
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows, max_chunksize=batch_rows)


def write_rows():
    with open(OUT / "rows.jsonl", "w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)
    plain = table(schema(pa.string(), pa.list_, pa.string()))
    large = table(schema(pa.large_string(), pa.large_list, pa.dictionary(pa.int32(), pa.large_string())))
    views = table(schema(pa.string_view(), pa.list_, pa.dictionary(pa.int8(), pa.string())))
    lean = {"write_statistics": False}
    pq.write_table(plain, OUT / "snappy.parquet", row_group_size=5)
    pq.write_table(large, OUT / "zstd.parquet", compression="zstd", data_page_version="2.0", **lean)
    pq.write_table(plain, OUT / "gzip.parquet", compression="gzip", store_schema=False, use_dictionary=False,
                   row_group_size=3, **lean)
    pq.write_table(large, OUT / "lz4.parquet", compression="lz4", **lean)
    pq.write_table(plain, OUT / "plain.parquet", compression="none", write_page_checksum=True, **lean)
    write_stream(OUT / "stream.arrow", plain, 3)
    feather.write_feather(large, str(OUT / "lz4.arrow"), compression="lz4", chunksize=5)
    feather.write_feather(views, str(OUT / "zstd.arrow"), compression="zstd")


def write_dictionary():
    """A column of texts by number, where one of the texts is null."""
    texts = pa.DictionaryArray.from_arrays(pa.array([1, 0, None, 1], pa.int8()), pa.array([None, "a"]))
    write_stream(OUT / "dictionary.arrow", pa.table({"n": [1, 2, 3, 4], "text": texts}), 4)


def write_many():
    """Rows of many batches in little space."""
    turns = [chat(said("user", f"What is {i}?"), said("assistant", str(i * i)))["messages"] for i in range(200)]
    rows = pa.table({"messages": turns, "padding": [" " * 40_000] * len(turns)})
    pq.write_table(rows, OUT / "many.parquet", compression="zstd", row_group_size=150, write_statistics=False)


def write_case():
    """What `datasets` itself makes of a JSON Lines file."""
    with tempfile.TemporaryDirectory() as cache:
        rows = datasets.load_dataset("json", data_files=str(CASE / "rows.jsonl"), split="train", cache_dir=cache)
        shutil.copyfile(rows.cache_files[0]["filename"], CASE / "rows.arrow")
        rows.to_parquet(CASE / "rows.parquet")


if __name__ == "__main__":
    datasets.disable_progress_bars()
    OUT.mkdir(parents=True, exist_ok=True)
    write_rows()
    write_dictionary()
    write_many()
    write_case()
