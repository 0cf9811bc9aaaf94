// What a decoder is made of: the description that a family makes of a config.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ops/activation.h"

namespace ilt {

enum class RopeKind { standard, linear, dynamic, yarn, llama3, longrope };

// Rotary embedding: base and scaling, with transformers' names and defaults.
struct RopeSpec {
  RopeKind kind = RopeKind::standard;
  std::int64_t dim = 0;      // of a head's components, how many turn (from the first on)
  bool interleaved = false;  // pairs are neighbours (2i, 2i + 1), not halves (i, i + dim / 2)
  double theta = 10000.0;
  double factor = 1.0;
  double original_max_positions = 0;  // what the model was first trained on
  double low_freq_factor = 1.0;       // llama3
  double high_freq_factor = 4.0;
  double beta_fast = 32.0;  // yarn
  double beta_slow = 1.0;
  double attention_factor = 1.0;  // multiplies cosine and sine
  bool truncate = true;
  std::vector<double> short_factor, long_factor;  // longrope: divide the frequencies of short and long samples

  bool operator==(const RopeSpec&) const = default;
  // Whether a token's angles depend on its whole sample, not on its position alone.
  bool depends_on_length() const { return kind == RopeKind::dynamic || kind == RopeKind::longrope; }
};

enum class NormKind { rms, layer };

struct NormSpec {
  NormKind kind = NormKind::rms;
  double eps = 1e-6;
  bool bias = false;
  double offset = 0.0;  // added to the stored weight: some families store w - 1

  bool operator==(const NormSpec&) const = default;
};

// What the norms of queries and keys, before the rotation, run over.
enum class HeadNormKind {
  none,
  shared,    // each head by itself, one weight for all
  per_head,  // each head by itself, each with a weight of its own
  whole,     // all heads at once
};

// What may differ from layer to layer.
struct LayerSpec {
  std::int64_t window = 0;  // how many tokens a token sees, itself included; 0: all before it
  int rope = 0;             // which of the decoder's ropes; -1: none, the layer knows no positions

  bool operator==(const LayerSpec&) const = default;
};

// The checkpoint's names of the weights, without ".weight" and ".bias"; "{}" stands for the layer. What a family does
// not have is empty.
struct WeightNames {
  std::string embedding = "model.embed_tokens";
  std::string final_norm = "model.norm";
  std::string head = "lm_head";
  std::string attention_norm = "model.layers.{}.input_layernorm";  // of the branch's input
  std::string attention_post_norm;                                 // of its output
  std::string mlp_norm = "model.layers.{}.post_attention_layernorm";
  std::string mlp_post_norm;
  std::string q = "model.layers.{}.self_attn.q_proj";
  std::string k = "model.layers.{}.self_attn.k_proj";
  std::string v = "model.layers.{}.self_attn.v_proj";
  std::string qkv;  // instead of the three: stored as one, under each other
  std::string o = "model.layers.{}.self_attn.o_proj";
  std::string q_norm = "model.layers.{}.self_attn.q_norm";
  std::string k_norm = "model.layers.{}.self_attn.k_norm";
  std::string gate = "model.layers.{}.mlp.gate_proj";
  std::string up = "model.layers.{}.mlp.up_proj";
  std::string gate_up;  // instead of the two
  std::string down = "model.layers.{}.mlp.down_proj";

  bool operator==(const WeightNames&) const = default;
};

struct DecoderSpec {
  std::string architecture;  // "LlamaForCausalLM"
  std::int64_t vocab = 0;
  std::int64_t hidden = 0;
  std::int64_t layers = 0;
  std::int64_t max_positions = 0;
  bool tied = false;
  NormSpec norm;

  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  bool qkv_bias = false;
  bool output_bias = false;
  double attention_scale = 0.0;
  double attention_softcap = 0.0;  // scores become cap * tanh(score / cap); 0: they stay
  HeadNormKind head_norm = HeadNormKind::none;
  NormSpec head_norm_spec;

  std::int64_t intermediate = 0;
  ops::Activation activation = ops::Activation::silu;
  bool gated = true;
  bool mlp_bias = false;

  // Attention and feed-forward both read the block's input; one norm serves both where mlp_norm has no name.
  bool parallel = false;
  double embedding_scale = 1.0;  // multiplies what the embedding gives,
  double residual_scale = 1.0;   // what each branch adds,
  double logits_scale = 1.0;     // and the logits
  double logits_softcap = 0.0;
  bool head_bias = false;

  std::vector<RopeSpec> ropes;
  std::vector<LayerSpec> layer_specs;  // one a layer
  WeightNames names;
  std::vector<std::string> ignored;  // endings of stored tensors that are recomputed ("rotary_emb.inv_freq")

  bool operator==(const DecoderSpec&) const = default;
  std::int64_t q_width() const { return heads * head_dim; }
  std::int64_t kv_width() const { return kv_heads * head_dim; }
  std::int64_t qkv_width() const { return q_width() + 2 * kv_width(); }
  const LayerSpec& layer(std::int64_t i) const { return layer_specs[static_cast<std::size_t>(i)]; }
};

}  // namespace ilt
