"""Tiny model folders for the cases: own tokenizer, own weights, no packages needed (Python >= 3.8).

The base model is a Llama with hidden 64, 2 layers, 4 heads, 2 KV heads, vocabulary 512, untied, fp32.
Weights depend only on the tensor's name, so two builds are equal byte for byte.
"""
import json, os, random, struct

CFG = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": 512, "hidden_size": 64,
       "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
       "hidden_act": "silu", "max_position_embeddings": 128, "rms_norm_eps": 1e-06, "rope_theta": 10000.0,
       "attention_bias": False, "mlp_bias": False, "tie_word_embeddings": False, "bos_token_id": 1,
       "eos_token_id": 2, "pad_token_id": 0, "initializer_range": 0.02, "torch_dtype": "float32",
       "use_cache": True, "transformers_version": "4.51.0"}
SPECIAL = ["<pad>", "<s>", "</s>", "<|im_start|>", "<|im_end|>", "<think>", "</think>", "<tool_call>",
           "</tool_call>", "<start_of_turn>", "<end_of_turn>"]
NOT_SPECIAL = {"<think>", "</think>", "<tool_call>", "</tool_call>"}
CHATML = ("{% for m in messages %}{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}{% endfor %}"
          "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}")
SPLIT = r"\s*[\r\n]+| ?\p{L}+| ?\p{N}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
MERGES = ["\n \n", "  t", "  a", "h e", "i n", "e r", "o n", "r e", "u s", "us er", "a s", "as s", "i s", "t an",
          "a n", "ass is", "assis t", "assist an", "assistan t", " t he", "l l", "o u", "y ou", "  y", " y ou",
          "e s", "Y es", "H i", "o o", "  s", "  c"]


def byte_chars():
    keep = list(range(33, 127)) + list(range(161, 173)) + list(range(174, 256))
    m, n = {}, 0
    for b in range(256):
        m[b] = chr(b) if b in keep else chr(256 + n)
        n += b not in keep
    return m


def tokenizer_json():
    bc = byte_chars()
    enc = lambda s: "".join(bc[b] for b in s.encode())
    vocab = {t: i for i, t in enumerate(SPECIAL)}
    for b in range(256):
        vocab[bc[b]] = len(SPECIAL) + b
    merges = []
    for m in MERGES:                      # the pair is split at the last blank that leaves two non-empty halves
        a, b = {"\n \n": ("\n", "\n"), "  t": (" ", "t"), "  a": (" ", "a"), "  y": (" ", "y"), "  s": (" ", "s"),
                "  c": (" ", "c"), " t he": (" t", "he"), " y ou": (" y", "ou")}.get(m, tuple(m.split(" ")))
        a, b = enc(a), enc(b)
        if a in vocab and b in vocab and a + b not in vocab:
            vocab[a + b] = len(vocab)
            merges.append([a, b])
    added = [{"id": i, "content": t, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
              "special": t not in NOT_SPECIAL} for i, t in enumerate(SPECIAL)]
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": None,
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
                {"type": "Split", "pattern": {"Regex": SPLIT}, "behavior": "Isolated", "invert": False},
                {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}]},
            "post_processor": None,
            "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
            "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
                      "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
                      "vocab": vocab, "merges": merges}}


def tokenizer_config():
    return {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>",
            "clean_up_tokenization_spaces": False, "model_max_length": 128, "chat_template": CHATML,
            "added_tokens_decoder": {str(a["id"]): {k: a[k] for k in ("content", "lstrip", "normalized", "rstrip",
                                                                     "single_word", "special")}
                                     for a in tokenizer_json()["added_tokens"]}}


def shapes(c):
    h, i, v = c["hidden_size"], c["intermediate_size"], c["vocab_size"]
    nh = c["num_attention_heads"]
    nkv = c.get("num_key_value_heads") or nh
    hd = c.get("head_dim") or h // nh
    s = {"model.embed_tokens.weight": [v, h]}
    for n in range(c["num_hidden_layers"]):
        p = "model.layers.%d." % n
        s.update({p + "input_layernorm.weight": [h], p + "mlp.down_proj.weight": [h, i], p + "mlp.gate_proj.weight": [i, h],
                  p + "mlp.up_proj.weight": [i, h], p + "post_attention_layernorm.weight": [h],
                  p + "self_attn.k_proj.weight": [nkv * hd, h], p + "self_attn.o_proj.weight": [h, nh * hd],
                  p + "self_attn.q_proj.weight": [nh * hd, h], p + "self_attn.v_proj.weight": [nkv * hd, h]})
        if c["model_type"] == "qwen2":
            s.update({p + "self_attn.%s_proj.bias" % x: [(nh if x == "q" else nkv) * hd] for x in "qkv"})
    s["model.norm.weight"] = [h]
    if not c.get("tie_word_embeddings"):
        s["lm_head.weight"] = [v, h]
    return s


def values(name, shape):
    r = random.Random(name)
    n = 1
    for d in shape:
        n *= d
    if "norm" in name:
        return [1.0 + 0.1 * r.gauss(0, 1) for _ in range(n)]
    std = 0.5 if "embed" in name or "lm_head" in name else 0.15
    return [std * r.gauss(0, 1) for _ in range(n)]


def pack(vals, dtype):
    raw = struct.pack("<%df" % len(vals), *vals)
    if dtype == "F32":
        return raw
    if dtype == "F16":
        return struct.pack("<%de" % len(vals), *vals)
    if dtype == "BF16":
        u = struct.unpack("<%dI" % len(vals), raw)
        return struct.pack("<%dH" % len(vals), *(((x + 0x7FFF + ((x >> 16) & 1)) >> 16) & 0xFFFF for x in u))
    raise ValueError(dtype)


def model_tensors(c, dtype="F32"):
    """name -> (dtype, shape, bytes)"""
    return {n: (dtype, s, pack(values(n, s), dtype)) for n, s in shapes(c).items()}


def write_st(path, tensors, metadata={"format": "pt"}, align=8, pad=None):
    head, off = {}, 0
    if metadata is not None:
        head["__metadata__"] = metadata
    for n, (dt, s, b) in tensors.items():
        head[n] = {"dtype": dt, "shape": s, "data_offsets": [off, off + len(b)]}
        off += len(b)
    h = json.dumps(head, separators=(",", ":")).encode()
    h += b" " * (pad if pad is not None else -len(h) % align if align else 0)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(h)) + h)
        for _, _, b in tensors.values():
            f.write(b)


def read_st(path):
    with open(path, "rb") as f:
        n, = struct.unpack("<Q", f.read(8))
        head = json.loads(f.read(n))
        meta = head.pop("__metadata__", None)
        body = f.read()
    return {k: (v["dtype"], v["shape"], body[v["data_offsets"][0]:v["data_offsets"][1]]) for k, v in head.items()}, meta


def dump(path, obj):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(obj, f, ensure_ascii=False, indent=1)
        f.write("\n")


def merge(base, path):
    """{"set": {key: value}, "remove": [key]}; a null in "set" is written as null."""
    m = json.load(open(path, encoding="utf-8"))
    base.update(m.get("set", {}))
    for k in m.get("remove", []):
        base.pop(k, None)
    return base


def build(out, config=None, dtype="F32", weights=True):
    os.makedirs(out, exist_ok=True)
    c = dict(CFG if config is None else config)
    dump(os.path.join(out, "config.json"), c)
    dump(os.path.join(out, "tokenizer.json"), tokenizer_json())
    dump(os.path.join(out, "tokenizer_config.json"), tokenizer_config())
    dump(os.path.join(out, "generation_config.json"), {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0})
    if weights:
        write_st(os.path.join(out, "model.safetensors"), model_tensors(c, dtype))
    return c

# ruff: noqa
