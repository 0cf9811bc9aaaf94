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

enum class MixerKind { attention, latent_attention, mamba };

// What may differ from layer to layer.
struct LayerSpec {
  MixerKind mixer = MixerKind::attention;
  bool experts = false;     // in place of the one feed-forward layer
  std::int64_t window = 0;  // how many tokens a token sees, itself included; 0: all before it
  int rope = 0;             // which of the decoder's ropes; -1: none, the layer knows no positions

  bool operator==(const LayerSpec&) const = default;
};

enum class RouterScore { softmax, sigmoid };

// How a checkpoint holds the matrices of experts.
enum class ExpertStorage {
  apart,        // each in a tensor of its own
  together,     // those of a layer in one, [experts, out, in]
  interleaved,  // likewise [experts, in, out], gates and ups taking turns
};

struct ExpertsSpec {
  std::int64_t count = 0;
  std::int64_t per_token = 0;
  std::int64_t width = 0;
  ops::Activation activation = ops::Activation::silu;
  ExpertStorage storage = ExpertStorage::apart;
  bool bias = false;
  RouterScore score = RouterScore::softmax;
  bool router_bias = false;
  bool normalise = false;   // the chosen scores sum to 1,
  double scale = 1.0;       // then are multiplied by this
  std::int64_t groups = 1;  // of experts; a token may choose from the best few of them
  std::int64_t groups_per_token = 1;
  std::int64_t shared_width = 0;  // of the expert that every token visits; 0: there is none
  double balance_loss = 0.0;      // weight of LoadBalance::loss that config.json asks for

  bool operator==(const ExpertsSpec&) const = default;
};

// Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434): queries, keys and values through narrow projections.
struct LatentSpec {
  std::int64_t query_rank = 0;  // 0: queries are projected directly
  std::int64_t kv_rank = 0;
  std::int64_t still_dim = 0;  // of a head of queries and keys, the components that do not turn
  std::int64_t turning_dim = 0;
  std::int64_t value_dim = 0;
  bool bias = false;

  bool operator==(const LatentSpec&) const = default;
};

// A state-space layer (Mamba-2, arXiv 2405.21060).
struct MambaSpec {
  std::int64_t heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t groups = 0;  // of heads that share B and C
  std::int64_t state = 0;
  std::int64_t convolution = 0;  // taps
  bool convolution_bias = false;
  bool projection_bias = false;
  double least_step = 0.0, largest_step = 0.0;  // of time

  std::int64_t inner() const { return heads * head_dim; }
  std::int64_t convolved() const { return inner() + 2 * groups * state; }
  bool operator==(const MambaSpec&) const = default;
};

// How a checkpoint holds the fused projection of queries, keys and values.
enum class QkvStorage {
  stacked,  // all queries, all keys, all values
  by_head,  // each head's query, key and value
};

// Names of a feed-forward layer's projections.
struct MlpNames {
  std::string gate = "", up = "";
  std::string gate_up = "";  // instead of the two
  std::string down = "";

  bool operator==(const MlpNames&) const = default;
};

// gate_proj, up_proj and down_proj under a stem.
inline MlpNames mlp_names(const std::string& stem) {
  return {.gate = stem + ".gate_proj", .up = stem + ".up_proj", .down = stem + ".down_proj"};
}

// The checkpoint's names of the weights, without ".weight" and ".bias"; "{}" stands for the layer. What a family does
// not have is empty.
struct WeightNames {
  std::string embeddings = "model.embed_tokens";
  std::string positions;  // learned ones
  std::string final_norm = "model.norm";
  std::string lm_head = "lm_head";
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
  std::string sinks;  // one logit a head that takes part in the softmax
  MlpNames mlp = mlp_names("model.layers.{}.mlp");
  std::string router = "model.layers.{}.mlp.gate";
  std::string router_correction;  // a buffer that is added to the scores for the choice alone
  // Of experts that are stored apart ("{expert}" stands for the expert), or together.
  MlpNames expert = mlp_names("model.layers.{}.mlp.experts.{expert}");
  MlpNames shared_mlp;      // the expert that every token visits,
  std::string shared_gate;  // and the weight of what it gives

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
  QkvStorage qkv_storage = QkvStorage::stacked;
  HeadNormKind head_norm = HeadNormKind::none;
  NormSpec head_norm_spec;

  std::int64_t intermediate = 0;
  ops::Activation activation = ops::Activation::silu;
  bool gated = true;
  bool mlp_bias = false;
  std::optional<ExpertsSpec> experts;
  std::optional<LatentSpec> latent;
  std::optional<MambaSpec> mamba;

  // Attention and feed-forward both read the block's input; one norm serves both where mlp_norm has no name.
  bool parallel = false;
  double embedding_scale = 1.0;  // multiplies what the embedding gives,
  double residual_scale = 1.0;   // what each branch adds,
  double logits_scale = 1.0;     // and the logits
  double logits_softcap = 0.0;
  bool head_bias = false;
  bool transposed = false;  // the checkpoint's matrices are [in, out]

  std::vector<RopeSpec> ropes;
  std::vector<LayerSpec> layer_specs;  // one a layer
  WeightNames names;
  std::string optional_prefix;       // of all names: some of the family's checkpoints have it,
  std::string prefix;                // and this is what the one at hand has
  std::vector<std::string> ignored;  // endings of stored tensors that are recomputed ("rotary_emb.inv_freq")

  bool operator==(const DecoderSpec&) const = default;
  std::int64_t q_width() const { return heads * head_dim; }
  std::int64_t kv_width() const { return kv_heads * head_dim; }
  std::int64_t qkv_width() const { return q_width() + 2 * kv_width(); }
  const LayerSpec& layer(std::int64_t i) const { return layer_specs[static_cast<std::size_t>(i)]; }
};

}  // namespace ilt
