// Qwen 2 and 2.5 (biases on queries, keys and values) and Qwen 3 (norms of query and key heads).
#include "model/families/qwen.h"

#include "model/families/family.h"

namespace ilt {

void read_qwen_windows(const ConfigReader& config, DecoderSpec& spec) {
  if (!config.boolean_or("use_sliding_window", false) || !config.has("sliding_window")) return;
  const std::int64_t first = config.positive_or("max_window_layers", 28);
  set_windows(config, read_sliding_layers(config, spec, [&](std::int64_t i) { return i >= first; }), spec);
}

DecoderSpec qwen2_spec(const ConfigReader& config) {
  DecoderSpec s = read_decoder(config);
  s.qkv_bias = true;
  read_qwen_windows(config, s);
  return s;
}

DecoderSpec qwen3_spec(const ConfigReader& config) {
  DecoderSpec s = read_decoder(config);
  s.qkv_bias = s.output_bias = config.boolean_or("attention_bias", false);
  s.head_norm = HeadNormKind::shared;
  read_qwen_windows(config, s);
  return s;
}

}  // namespace ilt
