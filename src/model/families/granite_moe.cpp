// IBM Granite 3 with experts (GraniteMoe), and with one that is always on (GraniteMoeShared).
#include "model/families/experts.h"
#include "model/families/family.h"
#include "model/families/granite.h"

namespace ilt {

DecoderSpec granite_moe_spec(const ConfigReader& config) {
  DecoderSpec s = read_decoder(config);
  s.qkv_bias = s.output_bias = config.boolean_or("attention_bias", false);
  read_granite_scales(config, s);
  read_granite_experts(config, s);
  return s;
}

DecoderSpec granite_moe_shared_spec(const ConfigReader& config) {
  DecoderSpec s = granite_moe_spec(config);
  s.experts->shared_width = config.count_or("shared_intermediate_size", 0);
  s.names.shared_mlp = {.gate_up = "model.layers.{}.shared_mlp.input_linear",
                        .down = "model.layers.{}.shared_mlp.output_linear"};
  return s;
}

void read_granite_experts(const ConfigReader& config, DecoderSpec& s) {
  ExpertsSpec e = read_experts(config, s, "num_local_experts", "intermediate_size");
  e.normalise = true;  // a softmax over the chosen alone is the same
  e.storage = ExpertStorage::together;
  use_experts(s, e, [](std::int64_t) { return true; });
  s.names.router = "model.layers.{}.block_sparse_moe.router.layer";
  s.names.expert.gate_up = "model.layers.{}.block_sparse_moe.input_linear";
  s.names.expert.down = "model.layers.{}.block_sparse_moe.output_linear";
}

}  // namespace ilt
