// Tables of architectures, as llama.cpp's converter has them.
#include "weights/gguf/architecture.h"

#include <algorithm>
#include <array>

namespace ilt {
namespace {

constexpr std::array common_names = {
    GgufName{"token_embd", "model.embed_tokens"},
    GgufName{"output_norm", "model.norm"},
    GgufName{"output", "lm_head"},
    GgufName{"blk.{}.attn_norm", "model.layers.{}.input_layernorm"},
    GgufName{"blk.{}.attn_q", "model.layers.{}.self_attn.q_proj"},
    GgufName{"blk.{}.attn_k", "model.layers.{}.self_attn.k_proj"},
    GgufName{"blk.{}.attn_v", "model.layers.{}.self_attn.v_proj"},
    GgufName{"blk.{}.attn_output", "model.layers.{}.self_attn.o_proj"},
    GgufName{"blk.{}.ffn_norm", "model.layers.{}.post_attention_layernorm"},
    GgufName{"blk.{}.ffn_gate", "model.layers.{}.mlp.gate_proj"},
    GgufName{"blk.{}.ffn_up", "model.layers.{}.mlp.up_proj"},
    GgufName{"blk.{}.ffn_down", "model.layers.{}.mlp.down_proj"},
};
constexpr std::array head_norms = {
    GgufName{"blk.{}.attn_q_norm", "model.layers.{}.self_attn.q_norm"},
    GgufName{"blk.{}.attn_k_norm", "model.layers.{}.self_attn.k_norm"},
};
constexpr std::array outer_norms = {
    GgufName{"blk.{}.ffn_norm", "model.layers.{}.pre_feedforward_layernorm"},
    GgufName{"blk.{}.post_attention_norm", "model.layers.{}.post_attention_layernorm"},
    GgufName{"blk.{}.post_ffw_norm", "model.layers.{}.post_feedforward_layernorm"},
};
constexpr std::array gemma3_names = {outer_norms[0], outer_norms[1], outer_norms[2], head_norms[0], head_norms[1]};
constexpr std::array phi3_names = {
    GgufName{"blk.{}.attn_qkv", "model.layers.{}.self_attn.qkv_proj"},
    GgufName{"blk.{}.ffn_up", "model.layers.{}.mlp.gate_up_proj"},
};

constexpr std::array common_keys = {
    GgufKey{"context_length", "max_position_embeddings", GgufNumber::integer, true, 2048},
    GgufKey{"embedding_length", "hidden_size", GgufNumber::integer, true},
    GgufKey{"block_count", "num_hidden_layers", GgufNumber::integer, true},
    GgufKey{"feed_forward_length", "intermediate_size", GgufNumber::integer, true},
    GgufKey{"attention.head_count", "num_attention_heads", GgufNumber::integer, true},
    GgufKey{"attention.head_count_kv", "num_key_value_heads"},
    GgufKey{"attention.key_length", "head_dim"},
    GgufKey{"attention.layer_norm_rms_epsilon", "rms_norm_eps", GgufNumber::real, true, 1e-6},
    GgufKey{"rope.freq_base", "rope_theta", GgufNumber::real},
};
constexpr std::array granite_keys = {
    GgufKey{"attention.scale", "attention_multiplier", GgufNumber::real, false, 1.0},
    GgufKey{"embedding_scale", "embedding_multiplier", GgufNumber::real, false, 1.0},
    GgufKey{"residual_scale", "residual_multiplier", GgufNumber::real, false, 1.0},
    GgufKey{"logit_scale", "logits_scaling", GgufNumber::real, false, 1.0},
};
constexpr std::array gemma2_keys = {
    GgufKey{"attention.sliding_window", "sliding_window", GgufNumber::integer, true},
    GgufKey{"attn_logit_softcapping", "attn_logit_softcapping", GgufNumber::real, false, 50.0},
    GgufKey{"final_logit_softcapping", "final_logit_softcapping", GgufNumber::real, false, 30.0},
};
constexpr std::array gemma3_keys = {
    gemma2_keys[0],
    GgufKey{"rope.freq_base_swa", "rope_local_base_freq", GgufNumber::real},
};
constexpr std::array phi3_keys = {GgufKey{"attention.sliding_window", "sliding_window"}};

constexpr const char* gelu = "gelu_pytorch_tanh";

constexpr std::array architectures = {
    GgufArchitecture{.name = "llama",
                     .hf_class = "LlamaForCausalLM",
                     .model_type = "llama",
                     .own_names = {},
                     .own_keys = {},
                     .paired_heads = true,
                     .optional_attention_bias = true,
                     .optional_mlp_bias = true},
    GgufArchitecture{
        .name = "qwen2", .hf_class = "Qwen2ForCausalLM", .model_type = "qwen2", .own_names = {}, .own_keys = {}},
    GgufArchitecture{.name = "qwen3",
                     .hf_class = "Qwen3ForCausalLM",
                     .model_type = "qwen3",
                     .own_names = head_norms,
                     .own_keys = {},
                     .optional_attention_bias = true},
    GgufArchitecture{.name = "granite",
                     .hf_class = "GraniteForCausalLM",
                     .model_type = "granite",
                     .own_names = {},
                     .own_keys = granite_keys,
                     .paired_heads = true,
                     .optional_attention_bias = true,
                     .optional_mlp_bias = true},
    GgufArchitecture{.name = "gemma",
                     .hf_class = "GemmaForCausalLM",
                     .model_type = "gemma",
                     .own_names = {},
                     .own_keys = {},
                     .whole_norms = true,
                     .activation_key = "hidden_activation",
                     .activation = gelu},
    GgufArchitecture{.name = "gemma2",
                     .hf_class = "Gemma2ForCausalLM",
                     .model_type = "gemma2",
                     .own_names = outer_norms,
                     .own_keys = gemma2_keys,
                     .whole_norms = true,
                     .activation_key = "hidden_activation",
                     .activation = gelu},
    GgufArchitecture{.name = "gemma3",
                     .hf_class = "Gemma3ForCausalLM",
                     .model_type = "gemma3_text",
                     .own_names = gemma3_names,
                     .own_keys = gemma3_keys,
                     .whole_norms = true,
                     .activation_key = "hidden_activation",
                     .activation = gelu,
                     .rope_theta = 1000000.0},
    GgufArchitecture{.name = "llama",  // where it has no window
                     .hf_class = "MistralForCausalLM",
                     .model_type = "mistral",
                     .own_names = {},
                     .own_keys = {},
                     .paired_heads = true},
    GgufArchitecture{.name = "phi3",
                     .hf_class = "Phi3ForCausalLM",
                     .model_type = "phi3",
                     .own_names = phi3_names,
                     .own_keys = phi3_keys},
};

// A name in its parts: "blk.{}.attn_q", the layer "3" (or nothing), ".weight".
struct ParsedName {
  std::string pattern, layer, ending;
};

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<ParsedName> parsed(std::string_view name) {
  const auto dot = name.rfind('.');
  if (dot == std::string_view::npos || (name.substr(dot) != ".weight" && name.substr(dot) != ".bias")) return {};
  ParsedName result{"", "", std::string(name.substr(dot))};
  for (name = name.substr(0, dot); !name.empty();) {
    const auto part = name.substr(0, name.find('.'));
    const bool is_layer = result.layer.empty() && is_number(part);
    if (is_layer) result.layer = part;
    result.pattern += (result.pattern.empty() ? "" : ".") + std::string(is_layer ? "{}" : part);
    name.remove_prefix(std::min(name.size(), part.size() + 1));
  }
  return result;
}

std::string filled(std::string pattern, const ParsedName& name) {
  if (const auto mark = pattern.find("{}"); mark != std::string::npos) pattern.replace(mark, 2, name.layer);
  return pattern + name.ending;
}

// The architecture's own names hide common ones of either side.
std::optional<std::string> translated(const GgufArchitecture& architecture, std::string_view name,
                                      const char* GgufName::* from, const char* GgufName::* to) {
  const auto parts = parsed(name);
  if (!parts) return {};
  for (const GgufName& own : architecture.own_names)
    if (parts->pattern == own.*from) return filled(own.*to, *parts);
  for (const GgufName& common : common_names) {
    if (parts->pattern != common.*from) continue;
    for (const GgufName& own : architecture.own_names)
      if (std::string_view(own.*to) == common.*to) return {};
    return filled(common.*to, *parts);
  }
  return {};
}

std::string joined(const char* GgufArchitecture::* member) {
  std::string names;
  for (const GgufArchitecture& a : architectures)
    if (names.find(a.*member) == std::string::npos) names += (names.empty() ? "" : ", ") + std::string(a.*member);
  return names;
}

}  // namespace

const GgufArchitecture* find_gguf_architecture(std::string_view name) {
  for (const GgufArchitecture& a : architectures)
    if (name == a.name) return &a;
  return nullptr;
}

const GgufArchitecture* find_gguf_architecture_of(std::string_view hf_class) {
  for (const GgufArchitecture& a : architectures)
    if (hf_class == a.hf_class) return &a;
  return nullptr;
}

std::string known_gguf_architectures() {
  return joined(&GgufArchitecture::name);
}

std::string known_gguf_classes() {
  return joined(&GgufArchitecture::hf_class);
}

std::span<const GgufKey> common_gguf_keys() {
  return common_keys;
}

std::optional<std::string> hf_tensor_name(const GgufArchitecture& architecture, std::string_view gguf) {
  return translated(architecture, gguf, &GgufName::gguf, &GgufName::hf);
}

std::optional<std::string> gguf_tensor_name(const GgufArchitecture& architecture, std::string_view hf) {
  return translated(architecture, hf, &GgufName::hf, &GgufName::gguf);
}

bool is_paired(const GgufArchitecture& architecture, std::string_view hf) {
  return architecture.paired_heads &&
         (hf.find(".q_proj.") != std::string_view::npos || hf.find(".k_proj.") != std::string_view::npos);
}

bool is_whole_norm(const GgufArchitecture& architecture, std::string_view hf) {
  return architecture.whole_norms && hf.find("norm.") != std::string_view::npos;
}

}  // namespace ilt
