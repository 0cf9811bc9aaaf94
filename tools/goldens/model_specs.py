"""The tiny checkpoints of tests/data/llama and tests/data/models: what model_goldens.py makes of each family."""


def rope(kind, theta=10000.0, **more):
    return {"rope_parameters": {"rope_type": kind, "rope_theta": theta, **more}}


COMMON = dict(max_position_embeddings=128, bos_token_id=1, eos_token_id=2, pad_token_id=0)
LLAMA = dict(vocab_size=256, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
             num_key_value_heads=2, tie_word_embeddings=True, **COMMON, **rope("default"))
LLAMA3 = dict(factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=32)

# Awkward on purpose: three query heads to a key head, a vocabulary and a width that no vector divides, windows shorter
# than the samples, heads as wide as hidden / heads (HEADS) or not (WIDE).
ODD = dict(vocab_size=67, hidden_size=24, intermediate_size=36, num_hidden_layers=2, num_attention_heads=6,
           num_key_value_heads=2, **COMMON)
HEADS = dict(ODD)
WIDE = dict(ODD, head_dim=8)
FEW = dict(ODD, num_attention_heads=3, num_key_value_heads=1)  # heads of 8, of which a part turns
WINDOW = dict(sliding_window=7)
SLIDING, FULL = "sliding_attention", "full_attention"
GRANITE = dict(embedding_multiplier=12.0, attention_multiplier=0.03125, residual_multiplier=0.22, logits_scaling=8.0)
LONGROPE = rope("longrope", partial_rotary_factor=0.75, short_factor=[1.0, 1.1, 1.2], long_factor=[1.0, 2.0, 5.0],
                original_max_position_embeddings=20)

# Folder under tests/data: (model class, config).
SPECS = {
    "llama/gqa_untied": ("Llama", dict(LLAMA, tie_word_embeddings=False)),
    "llama/tied": ("Llama", LLAMA),
    "llama/mha_headdim": ("Llama", dict(LLAMA, num_key_value_heads=4, head_dim=16)),
    "llama/bias": ("Llama", dict(LLAMA, attention_bias=True, mlp_bias=True)),
    "llama/rope_linear": ("Llama", dict(LLAMA, **rope("linear", factor=4.0))),
    "llama/rope_dynamic": ("Llama", dict(LLAMA, max_position_embeddings=16, **rope("dynamic", factor=2.0))),
    "llama/rope_yarn": ("Llama", dict(LLAMA, **rope("yarn", factor=8.0, original_max_position_embeddings=16))),
    "llama/rope_llama3": ("Llama", dict(LLAMA, **rope("llama3", 500000.0, **LLAMA3))),
    "llama/bf16": ("Llama", LLAMA),
    "models/mistral": ("Mistral", dict(WIDE, **WINDOW)),
    "models/ministral": ("Ministral", dict(WIDE, **WINDOW, layer_types=[SLIDING, FULL])),
    "models/qwen2": ("Qwen2", dict(HEADS, tie_word_embeddings=True)),
    "models/qwen2_sliding": ("Qwen2", dict(HEADS, **WINDOW, use_sliding_window=True, max_window_layers=1)),
    "models/qwen3": ("Qwen3", WIDE),
    "models/qwen3_bias": ("Qwen3", dict(WIDE, attention_bias=True, tie_word_embeddings=True)),
    "models/granite": ("Granite", dict(HEADS, **GRANITE, tie_word_embeddings=True)),
    "models/granite_bias": ("Granite", dict(HEADS, **GRANITE, attention_bias=True, mlp_bias=True)),
    "models/phi3": ("Phi3", dict(HEADS, **WINDOW)),
    "models/phi3_longrope": ("Phi3", dict(FEW, original_max_position_embeddings=20, **LONGROPE)),
    "models/gemma": ("Gemma", WIDE),
    "models/gemma2": ("Gemma2", dict(WIDE, **WINDOW, query_pre_attn_scalar=24, attn_logit_softcapping=5.0,
                                     final_logit_softcapping=3.0)),
    "models/gemma3": ("Gemma3", dict(WIDE, **WINDOW, query_pre_attn_scalar=24, num_hidden_layers=3,
                                     layer_types=[SLIDING, SLIDING, FULL])),
    "models/gemma3_linear": ("Gemma3", dict(
        WIDE, **WINDOW, layer_types=[SLIDING, FULL],
        rope_parameters={SLIDING: {"rope_type": "default", "rope_theta": 10000.0},
                         FULL: {"rope_type": "linear", "factor": 8.0, "rope_theta": 1000000.0}})),
    "models/olmo2": ("Olmo2", HEADS),
    "models/olmo3": ("Olmo3", dict(
        HEADS, **WINDOW, layer_types=[SLIDING, FULL],
        rope_parameters={SLIDING: {"rope_type": "default", "rope_theta": 500000.0},
                         FULL: {"rope_type": "yarn", "factor": 8.0, "rope_theta": 500000.0,
                                "original_max_position_embeddings": 16}})),
    "models/smollm3": ("SmolLM3", dict(HEADS, no_rope_layers=[1, 0, 1], num_hidden_layers=3)),
    "models/starcoder2": ("Starcoder2", dict(HEADS, **WINDOW)),
    "models/stablelm": ("StableLm", dict(FEW, use_qkv_bias=True)),
    "models/stablelm_parallel": ("StableLm", dict(FEW, use_parallel_residual=True, qk_layernorm=True)),
    "models/phi": ("Phi", dict(FEW)),
    "models/phi_qk_norm": ("Phi", dict(FEW, qk_layernorm=True)),
    "models/cohere": ("Cohere", dict(HEADS, logit_scale=0.25)),
    "models/cohere_qk_norm": ("Cohere", dict(HEADS, logit_scale=0.25, use_qk_norm=True)),
    "models/cohere2": ("Cohere2", dict(HEADS, **WINDOW, logit_scale=0.25, layer_types=[SLIDING, FULL])),
    "models/glm": ("Glm", WIDE),
    "models/glm4": ("Glm4", dict(WIDE, attention_bias=False)),
    "models/seed_oss": ("SeedOss", WIDE),
    "models/nemotron": ("Nemotron", dict(WIDE, mlp_bias=True)),
}
STORED_BF16 = {"llama/bf16"}
# Rows by themselves give other logits than padded to a batch: the longest row decides the angles of all.
BY_LENGTH = {"llama/rope_dynamic", "models/phi3_longrope"}
# Even a row by itself depends on what the model has seen before: fresh models' logits alone can be compared.
STATEFUL = {"llama/rope_dynamic"}
# Also with the keys that transformers wrote into config.json before version 5.
OLD_KEYS = {"llama/rope_llama3", "llama/rope_linear", "models/phi3_longrope", "models/gemma3", "models/gemma3_linear",
            "models/olmo3", "models/stablelm"}
