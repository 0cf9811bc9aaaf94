// Mixtral: Mistral with experts in each layer.
#include "model/families/experts.h"
#include "model/families/family.h"

namespace ilt {

DecoderSpec mixtral_spec(const ConfigReader& config) {
  DecoderSpec s = read_decoder(config, {.theta = 1000000.0}, "rms_norm_eps", 1e-5);
  read_window(config, s);
  ExpertsSpec e = read_experts(config, s, "num_local_experts", "intermediate_size");
  e.normalise = true;
  use_experts(s, e, [](std::int64_t) { return true; });
  s.names.router = "model.layers.{}.block_sparse_moe.gate";
  s.names.expert.gate = "model.layers.{}.block_sparse_moe.experts.{expert}.w1";
  s.names.expert.up = "model.layers.{}.block_sparse_moe.experts.{expert}.w3";
  s.names.expert.down = "model.layers.{}.block_sparse_moe.experts.{expert}.w2";
  return s;
}

}  // namespace ilt
