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
EVEN = {k: v for k, v in FEW.items() if k != "num_key_value_heads"}
MOE = dict(num_experts_per_tok=2)
NARROW = dict(moe_intermediate_size=20)
MAMBA = dict(mamba_n_heads=6, mamba_d_head=8, mamba_d_state=5, mamba_n_groups=2, mamba_expand=2, mamba_chunk_size=8,
             shared_intermediate_size=20)
LATENT = dict(num_key_value_heads=6, kv_lora_rank=10, qk_nope_head_dim=6, qk_rope_head_dim=4, v_head_dim=7, head_dim=4,
              num_experts_per_tok=2, n_shared_experts=2)
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
    "models/mixtral": ("Mixtral", dict(WIDE, **MOE, sliding_window=7, num_local_experts=5)),
    "models/qwen2_moe": ("Qwen2Moe", dict(HEADS, **MOE, **NARROW, num_experts=5, shared_expert_intermediate_size=20,
                                          mlp_only_layers=[0])),
    "models/qwen3_moe": ("Qwen3Moe", dict(WIDE, **MOE, **NARROW, num_experts=5, norm_topk_prob=True)),
    "models/granite_moe": ("GraniteMoe", dict(HEADS, **GRANITE, **MOE, num_local_experts=5)),
    "models/granite_moe_shared": ("GraniteMoeShared", dict(HEADS, **GRANITE, **MOE, num_local_experts=5,
                                                           shared_intermediate_size=20)),
    "models/granite_hybrid": ("GraniteMoeHybrid", dict(HEADS, **GRANITE, **MOE, **MAMBA, num_local_experts=3,
                                                       layer_types=["linear_attention", "full_attention"])),
    "models/granite_hybrid_dense": ("GraniteMoeHybrid", dict(
        HEADS, **GRANITE, **MAMBA, num_local_experts=0, num_experts_per_tok=0, position_embedding_type="rope",
        layer_types=["full_attention", "linear_attention"])),
    "models/olmoe": ("Olmoe", dict(HEADS, **MOE, num_experts=5)),
    "models/gpt_oss": ("GptOss", dict(WIDE, **MOE, **WINDOW, num_local_experts=5, layer_types=[SLIDING, FULL], **rope(
        "yarn", 150000.0, factor=32.0, beta_fast=32.0, beta_slow=1.0, truncate=False,
        original_max_position_embeddings=16))),
    "models/deepseek_v2": ("DeepseekV2", dict(HEADS | LATENT, **NARROW, n_routed_experts=4, topk_method="greedy",
                                              first_k_dense_replace=1, routed_scaling_factor=1.5, q_lora_rank=None)),
    "models/deepseek_v2_groups": ("DeepseekV2", dict(
        HEADS | LATENT, **NARROW, n_routed_experts=6, topk_method="group_limited_greedy", n_group=3, topk_group=2,
        routed_scaling_factor=1.5, q_lora_rank=10, **rope("yarn", factor=8.0, mscale=0.7, mscale_all_dim=0.7,
                                                          original_max_position_embeddings=16))),
    "models/deepseek_v3": ("DeepseekV3", dict(HEADS | LATENT, **NARROW, n_routed_experts=6, n_group=3, topk_group=2,
                                              first_k_dense_replace=1, routed_scaling_factor=2.5, q_lora_rank=10)),
    "models/gpt2": ("GPT2", dict(vocab_size=67, n_embd=24, n_layer=2, n_head=3, n_positions=32, n_inner=36)),
    "models/gpt_neox": ("GPTNeoX", dict(EVEN)),
    "models/gpt_neox_in_turn": ("GPTNeoX", dict(EVEN, use_parallel_residual=False)),
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
