// SmolLM3: Llama in which every fourth layer knows no positions (NoPE).
#include "base/error.h"
#include "model/families/common.h"
#include "model/families/family.h"

namespace ilt {

namespace {

// Which layers have a rope: those with a 1 in no_rope_layers, in spite of its name.
std::vector<bool> read_turning_layers(const ConfigReader& config, const DecoderSpec& s) {
  std::vector<bool> turning;
  if (!config.has("no_rope_layers")) {
    const std::int64_t interval = config.positive_or("no_rope_layer_interval", 4);
    for (std::int64_t i = 0; i < s.layers; ++i) turning.push_back((i + 1) % interval != 0);
    return turning;
  }
  for (const double flag : config.numbers("no_rope_layers")) turning.push_back(flag != 0.0);
  if (turning.size() != s.layer_specs.size())
    fail(Status::format, "config.json: no_rope_layers has {} entries, but num_hidden_layers is {}", turning.size(),
         s.layers);
  return turning;
}

}  // namespace

DecoderSpec smollm3_spec(const ConfigReader& config) {
  DecoderSpec s = read_decoder(config, {.theta = 2000000.0});
  s.tied = config.boolean_or("tie_word_embeddings", true);
  s.qkv_bias = s.output_bias = config.boolean_or("attention_bias", false);
  s.mlp_bias = config.boolean_or("mlp_bias", false);
  const std::vector<bool> turning = read_turning_layers(config, s);
  for (std::size_t i = 0; i < turning.size(); ++i) s.layer_specs[i].rope = turning[i] ? 0 : -1;
  const bool windows = config.boolean_or("use_sliding_window", false) && config.has("sliding_window");
  const auto slides = [&](std::int64_t i) { return windows && s.layer(i).rope < 0; };
  set_windows(config, read_sliding_layers(config, s, slides), s);
  return s;
}

}  // namespace ilt
