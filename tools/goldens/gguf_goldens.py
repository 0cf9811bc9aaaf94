#!/usr/bin/env python3
"""Writes tests/data/gguf/: GGUF files by the Python package `gguf`, and what it reads from them.

    gguf_goldens.py                  writes the files
    gguf_goldens.py --check FILE...  reads files that libilt wrote with the package, and prints what they hold

types.gguf           two rows of every type that libilt reads: random values, quantised where the package can, else
                     random blocks with scales that are finite; a key of every type
tests/fuzz/corpus/gguf  small files for the fuzzer
types.safetensors    the fp32 values that the package makes of them; q8_0.from, which types.gguf's q8_0 was made of

Needs gguf, numpy and safetensors (tools/requirements/model.txt, parity.txt).
"""
import pathlib
import sys

import numpy as np
from gguf import GGMLQuantizationType, GGUFReader, GGUFWriter
from gguf.quants import dequantize, quantize
from safetensors.numpy import save_file

DATA = pathlib.Path(__file__).resolve().parents[2] / "tests/data"
OUT = DATA / "gguf"
CORPUS = DATA.parent / "fuzz/corpus/gguf"
QUANTISED = ("F16", "BF16", "Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1")
# The package reads these but does not make them. Size of a block, and where its scales in half precision are.
RANDOM = {"Q4_K": (144, (0, 2)), "Q5_K": (176, (0, 2)), "Q6_K": (210, (208,))}


def random_blocks(rng, size, scales, count):
    blocks = rng.integers(0, 256, (count, size), dtype=np.uint8)
    for at in scales:
        blocks[:, at:at + 2] = rng.normal(0, 0.01, (count, 1)).astype(np.float16).view(np.uint8)
    return blocks


def add_values(writer):
    """A key of every type, at its limits."""
    types = {"uint8": 255, "int8": -128, "uint16": 65535, "int16": -32768, "uint32": 2**32 - 1, "int32": -2**31,
             "uint64": 2**63 - 1, "int64": -2**63, "float32": 1e-5, "float64": 1e-5}
    for name, value in types.items():
        getattr(writer, "add_" + name)("value." + name, value)
    writer.add_bool("value.bool", True)
    writer.add_string("value.string", "ü\n")
    writer.add_uint64("value.too_large", 2**63)
    writer.add_array("array.int32", [1, -2, 3])
    writer.add_array("array.float32", [0.5, -0.25])
    writer.add_array("array.string", ["", "a", "ü"])


def write_types():
    rng = np.random.default_rng(1)
    values = rng.normal(0, 1, (2, 512)).astype(np.float32)
    values[0, 32:64] = 0  # a block whose scale is zero
    values[0, 64:96] *= 1e-7  # one whose scale is subnormal in half precision
    writer = GGUFWriter(OUT / "types.gguf", "llama")
    add_values(writer)
    expected = {"f32": values, "q8_0.from": values}
    writer.add_tensor("f32", values)
    for name in QUANTISED:
        kind = GGMLQuantizationType[name]
        data = quantize(values, kind)
        writer.add_tensor(name.lower(), data, raw_dtype=kind)
        expected[name.lower()] = dequantize(data, kind)
    for name, (size, scales) in RANDOM.items():
        kind = GGMLQuantizationType[name]
        data = random_blocks(rng, size, scales, 4).reshape(2, 2 * size)
        writer.add_tensor(name.lower(), data, raw_dtype=kind)
        expected[name.lower()] = dequantize(data, kind)
    close(writer)
    save_file({name: np.ascontiguousarray(v) for name, v in expected.items()}, OUT / "types.safetensors")


def write_corpus():
    """Seeds of the fuzzer: small, with what makes the reader take each of its ways."""
    CORPUS.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(2)
    writer = GGUFWriter(CORPUS / "values", "llama")
    add_values(writer)
    close(writer)
    writer = GGUFWriter(CORPUS / "aligned", "llama")
    writer.add_custom_alignment(8)
    writer.add_tensor("a", np.arange(6, dtype=np.float32).reshape(2, 3))
    writer.add_tensor("b", np.arange(2, dtype=np.float16))
    writer.add_tensor("c", np.arange(2, dtype=np.int8))
    close(writer)
    writer = GGUFWriter(CORPUS / "blocks", "llama")
    for name in QUANTISED:
        kind = GGMLQuantizationType[name]
        writer.add_tensor(name, quantize(rng.normal(0, 1, (1, 32)).astype(np.float32), kind), raw_dtype=kind)
    for name, (size, scales) in RANDOM.items():
        writer.add_tensor(name, random_blocks(rng, size, scales, 1), raw_dtype=GGMLQuantizationType[name])
    close(writer)


def close(writer):
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def check(path):
    reader = GGUFReader(path)
    for key, field in reader.fields.items():
        print(f"{key} = {str(field.contents())[:100]}")
    for t in reader.tensors:
        print(f"{t.name} {t.tensor_type.name} {[int(n) for n in reversed(t.shape)]}")


def main():
    if sys.argv[1:2] == ["--check"]:
        for path in sys.argv[2:]:
            check(path)
        return
    OUT.mkdir(parents=True, exist_ok=True)
    write_types()
    write_corpus()


if __name__ == "__main__":
    main()
