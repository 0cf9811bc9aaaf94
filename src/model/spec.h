// What a decoder is made of: the description that a family makes of a config.json.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ilt {

enum class RopeKind { standard, linear, dynamic, yarn, llama3 };

// Rotary embedding: base and scaling, with transformers' names and defaults.
struct RopeSpec {
  RopeKind kind = RopeKind::standard;
  double theta = 10000.0;
  double factor = 1.0;
  double original_max_positions = 0;  // what the model was first trained on
  double low_freq_factor = 1.0;       // llama3
  double high_freq_factor = 4.0;
  double beta_fast = 32.0;  // yarn
  double beta_slow = 1.0;
  double attention_factor = 1.0;  // multiplies cosine and sine
  bool truncate = true;
};

// The checkpoint's names of the weights; "{}" stands for the layer.
struct WeightNames {
  std::string embedding = "model.embed_tokens.weight";
  std::string final_norm = "model.norm.weight";
  std::string head = "lm_head.weight";
  std::string attention_norm = "model.layers.{}.input_layernorm.weight";
  std::string mlp_norm = "model.layers.{}.post_attention_layernorm.weight";
  std::string q = "model.layers.{}.self_attn.q_proj";
  std::string k = "model.layers.{}.self_attn.k_proj";
  std::string v = "model.layers.{}.self_attn.v_proj";
  std::string o = "model.layers.{}.self_attn.o_proj";
  std::string gate = "model.layers.{}.mlp.gate_proj";
  std::string up = "model.layers.{}.mlp.up_proj";
  std::string down = "model.layers.{}.mlp.down_proj";
};

struct DecoderSpec {
  std::string architecture;  // "LlamaForCausalLM"
  std::int64_t vocab = 0;
  std::int64_t hidden = 0;
  std::int64_t layers = 0;
  std::int64_t intermediate = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t max_positions = 0;
  double norm_eps = 1e-6;
  bool tied = false;
  bool attention_bias = false;
  bool mlp_bias = false;
  RopeSpec rope;
  WeightNames names;
  std::vector<std::string> ignored;  // endings of stored tensors that are recomputed ("rotary_emb.inv_freq")

  std::int64_t q_width() const { return heads * head_dim; }
  std::int64_t kv_width() const { return kv_heads * head_dim; }
  std::int64_t qkv_width() const { return q_width() + 2 * kv_width(); }
};

}  // namespace ilt
