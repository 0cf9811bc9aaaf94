// GPT-2: learned positions, matrices stored [in, out], names with or without "transformer." before them.
#include <cmath>

#include "base/error.h"
#include "model/families/common.h"
#include "model/families/counts.h"
#include "model/families/family.h"

namespace ilt {

namespace {

// The older keys of the shapes.
DecoderSpec read_gpt2(const ConfigReader& config) {
  DecoderSpec s;
  s.vocab = config.positive("vocab_size");
  s.hidden = config.positive("n_embd");
  s.layers = read_count(config, "n_layer");
  s.heads = s.kv_heads = config.positive("n_head");
  s.intermediate = config.positive_or("n_inner", 4 * s.hidden);
  s.max_positions = config.positive_or("n_positions", 1024);
  if (s.hidden % s.heads != 0)
    fail(Status::format, "config.json: n_embd ({}) is no multiple of n_head ({})", s.hidden, s.heads);
  s.head_dim = s.hidden / s.heads;
  s.attention_scale = 1.0 / std::sqrt(static_cast<double>(s.head_dim));
  s.norm.eps = config.number_or("layer_norm_epsilon", 1e-5);
  s.layer_specs.resize(static_cast<std::size_t>(s.layers), {.rope = -1});
  return s;
}

}  // namespace

DecoderSpec gpt2_spec(const ConfigReader& config) {
  DecoderSpec s = read_gpt2(config);
  report_dropout(config);
  config.require("tie_word_embeddings", true);
  config.require("scale_attn_weights", true);
  config.require("scale_attn_by_inverse_layer_idx", false);
  config.require("add_cross_attention", false);
  use_layer_norm(s, /*bias=*/true);
  s.tied = s.transposed = true;
  s.qkv_bias = s.output_bias = s.mlp_bias = true;
  s.gated = false;
  s.activation = read_activation(config, "activation_function", "gelu_new");
  s.names.embeddings = "wte";
  s.names.positions = "wpe";
  s.names.final_norm = "ln_f";
  s.names.attention_norm = "h.{}.ln_1";
  s.names.qkv = "h.{}.attn.c_attn";
  s.names.o = "h.{}.attn.c_proj";
  s.names.mlp_norm = "h.{}.ln_2";
  s.names.mlp = {.up = "h.{}.mlp.c_fc", .down = "h.{}.mlp.c_proj"};
  s.optional_prefix = "transformer.";
  s.ignored = {".attn.bias", ".attn.masked_bias"};
  return s;
}

}  // namespace ilt
