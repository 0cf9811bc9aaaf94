// Qwen 1.5 and 2 with experts (one of them always on, behind a gate) and Qwen 3 with experts.
#include <algorithm>

#include "model/families/experts.h"
#include "model/families/family.h"
#include "model/families/qwen.h"

namespace ilt {

namespace {

void read_qwen_experts(const ConfigReader& config, DecoderSpec& s) {
  // transformers 5 writes Qwen 3's as num_local_experts.
  const char* count_key = config.has("num_experts") ? "num_experts" : "num_local_experts";
  ExpertsSpec e = read_experts(config, s, count_key, "moe_intermediate_size");
  e.normalise = config.boolean_or("norm_topk_prob", false);
  const std::int64_t step = config.positive_or("decoder_sparse_step", 1);
  std::vector<double> dense;
  if (config.has("mlp_only_layers")) dense = config.numbers("mlp_only_layers");
  use_experts(s, e, [&](std::int64_t i) {
    return (i + 1) % step == 0 && std::find(dense.begin(), dense.end(), static_cast<double>(i)) == dense.end();
  });
}

}  // namespace

DecoderSpec qwen2_moe_spec(const ConfigReader& config) {
  DecoderSpec s = read_decoder(config);
  s.qkv_bias = config.boolean_or("qkv_bias", true);
  read_qwen_windows(config, s);
  read_qwen_experts(config, s);
  s.experts->shared_width = config.positive("shared_expert_intermediate_size");
  s.names.shared_mlp = mlp_names("model.layers.{}.mlp.shared_expert");
  s.names.shared_gate = "model.layers.{}.mlp.shared_expert_gate";
  return s;
}

DecoderSpec qwen3_moe_spec(const ConfigReader& config) {
  DecoderSpec s = read_decoder(config);
  s.qkv_bias = s.output_bias = config.boolean_or("attention_bias", false);
  s.head_norm = HeadNormKind::shared;
  if (config.boolean_or("use_sliding_window", false)) read_window(config, s);
  read_qwen_experts(config, s);
  return s;
}

}  // namespace ilt
