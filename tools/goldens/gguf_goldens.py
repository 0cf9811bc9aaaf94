#!/usr/bin/env python3
"""Writes tests/data/gguf/: GGUF files by the Python package `gguf`, and what it reads from them.

    gguf_goldens.py                  writes the files
    gguf_goldens.py --check FILE...  reads files that libilt wrote with the package, and prints what they hold

NAME.gguf            the tiny checkpoints of tests/data/NAME in F32, by the names, keys and orders of rows of llama.cpp's
                     converter: what MODELS says
tokenizer_*.gguf     vocabularies without weights; tokenizer_*.json: text and the ids that they give
types.gguf           two rows of every type that libilt reads: random values, quantised where the package can, else
                     random blocks with scales that are finite; a key of every type
tests/fuzz/corpus/gguf  small files for the fuzzer
types.safetensors    the fp32 values that the package makes of them; q8_0.from, which types.gguf's q8_0 was made of

Needs gguf, numpy and safetensors (tools/requirements/model.txt, parity.txt).
"""
import json
import math
import pathlib
import sys

import numpy as np
from gguf import MODEL_ARCH_NAMES, GGMLQuantizationType, GGUFReader, GGUFWriter, RopeScalingType, get_tensor_name_map
from gguf.quants import dequantize, quantize
from safetensors.numpy import load_file, save_file

MODEL_ARCH_BY_NAME = {name: arch for arch, name in MODEL_ARCH_NAMES.items()}

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


# Folder of tests/data, general.architecture; what beside the common keys: GGUF key -> config.json's key or a value.
MODELS = {
    "llama/tied": ("llama", {}),
    "llama/gqa_untied": ("llama", {}),
    "llama/bias": ("llama", {}),
    "llama/rope_yarn": ("llama", {}),
    "llama/rope_llama3": ("llama", {}),
    "models/qwen2": ("qwen2", {}),
    "models/qwen3": ("qwen3", {}),
    "models/granite": ("granite", {"attention.scale": "attention_multiplier", "embedding_scale": "embedding_multiplier",
                                   "residual_scale": "residual_multiplier", "logit_scale": "logits_scaling"}),
    "models/gemma": ("gemma", {}),
    "models/gemma2": ("gemma2", {"attention.sliding_window": "sliding_window",
                                 "attn_logit_softcapping": "attn_logit_softcapping",
                                 "final_logit_softcapping": "final_logit_softcapping"}),
    "models/gemma3": ("gemma3", {"attention.sliding_window": "sliding_window"}),
    "models/phi3": ("phi3", {"attention.sliding_window": "sliding_window"}),
    "models/phi3_longrope": ("phi3", {}),
}
NORMS_PLUS_ONE = ("gemma", "gemma2", "gemma3")
PERMUTED = ("llama", "granite")


def rope_of(config):
    rope = config.get("rope_parameters") or {}
    return rope.get("full_attention", rope)


def head_dim(config):
    return config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]


def permute(weights, heads):
    """LlamaModel.permute of llama.cpp's converter."""
    pairs = weights.reshape(heads, 2, weights.shape[0] // heads // 2, *weights.shape[1:])
    return pairs.swapaxes(1, 2).reshape(weights.shape)


def llama3_factors(config, rope):
    dim = head_dim(config)
    freqs = 1.0 / (rope["rope_theta"] ** (np.arange(0, dim, 2, dtype=np.float32) / dim))
    low = rope["original_max_position_embeddings"] / rope["low_freq_factor"]
    high = rope["original_max_position_embeddings"] / rope["high_freq_factor"]
    factors = []
    for freq in freqs:
        wavelen = 2 * math.pi / freq
        smooth = (rope["original_max_position_embeddings"] / wavelen - rope["low_freq_factor"]) / (
            rope["high_freq_factor"] - rope["low_freq_factor"])
        between = 1 / ((1 - smooth) / rope["factor"] + smooth)
        factors.append(1 if wavelen < high else rope["factor"] if wavelen > low else between)
    return np.array(factors, dtype=np.float32)


def add_rope(writer, config, arch):
    rope = rope_of(config)
    kind = rope.get("rope_type", "default")
    writer.add_rope_freq_base(rope["rope_theta"])
    writer.add_rope_dimension_count(int(head_dim(config) * rope.get("partial_rotary_factor", 1.0)))
    if kind in ("linear", "yarn"):
        writer.add_rope_scaling_type(RopeScalingType(kind))
        writer.add_rope_scaling_factor(rope["factor"])
    if kind == "yarn":
        writer.add_rope_scaling_orig_ctx_len(rope["original_max_position_embeddings"])
    if kind == "llama3":
        writer.add_tensor("rope_freqs.weight", llama3_factors(config, rope))
    if kind == "longrope":
        original, longest = rope["original_max_position_embeddings"], config["max_position_embeddings"]
        writer.add_rope_scaling_orig_ctx_len(original)
        writer.add_rope_scaling_attn_factors(math.sqrt(1 + math.log(longest / original) / math.log(original)))
        for which in ("long", "short"):
            writer.add_tensor(f"rope_factors_{which}.weight", np.array(rope[which + "_factor"], dtype=np.float32))


def add_config(writer, config, arch, more, tokenizer="none"):
    writer.add_type("model")
    writer.add_vocab_size(config["vocab_size"])
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    if config.get("head_dim"):
        writer.add_key_length(config["head_dim"])
        writer.add_value_length(config["head_dim"])
    add_rope(writer, config, arch)
    for key, source in more.items():
        value = config[source]
        (writer.add_uint32 if isinstance(value, int) and "scal" not in key and "cap" not in key
         else writer.add_float32)(f"{arch}.{key}", value)
    writer.add_tokenizer_model(tokenizer)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)


def write_model(name, arch, more):
    folder = DATA / name
    config = json.loads((folder / "config.json").read_text())
    writer = GGUFWriter(OUT / (name.split("/")[1] + ".gguf"), arch)
    add_config(writer, config, arch, more)
    names = get_tensor_name_map(MODEL_ARCH_BY_NAME[arch], config["num_hidden_layers"])
    heads = {"q_proj": config["num_attention_heads"], "k_proj": config["num_key_value_heads"]}
    for key, value in load_file(folder / "model.safetensors").items():
        if arch in NORMS_PLUS_ONE and key.endswith("norm.weight"):
            value = value + np.float32(1)
        kind = key.split(".")[-2]
        if arch in PERMUTED and kind in heads:
            value = permute(value, heads[kind])
        writer.add_tensor(names.get_name(key, try_suffixes=(".weight", ".bias")), np.ascontiguousarray(value, np.float32))
    close(writer)


def write_models():
    for name, (arch, more) in MODELS.items():
        write_model(name, arch, more)


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
    for kind, tokens in {"gpt2": ["a", "b", "ab", "<s>"], "llama": ["<unk>", "<s>", "\u2581a", "\u2581", "a"]}.items():
        writer = GGUFWriter(CORPUS / f"model_{kind}", "llama")
        add_config(writer, {"vocab_size": 4, "max_position_embeddings": 8, "hidden_size": 4, "num_hidden_layers": 1,
                            "intermediate_size": 4, "num_attention_heads": 1, "num_key_value_heads": 1,
                            "rms_norm_eps": 1e-5, "rope_parameters": {"rope_theta": 1e4}}, "llama", {}, kind)
        writer.add_tokenizer_pre("llama-bpe")
        writer.add_token_list(tokens)
        writer.add_token_types([2, 3, 1, 1, 1][:len(tokens)])
        writer.add_token_scores([0.0, 0.0, -1.0, -2.0, -3.0][:len(tokens)])
        writer.add_token_merges(["a b"])
        writer.add_add_bos_token(True)
        writer.add_chat_template("{{ messages }}")
        writer.add_tensor("token_embd.weight", np.zeros((4, 4), np.float32))
        writer.add_tensor("rope_freqs.weight", np.array([1, 8], np.float32))
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
    write_models()
    write_corpus()


if __name__ == "__main__":
    main()
