// OpenAI's gpt-oss: sinks in the softmax, every other layer with a window, experts with clamped gates and biases.
#include "model/families/experts.h"
#include "model/families/family.h"

namespace ilt {

DecoderSpec gpt_oss_spec(const ConfigReader& config) {
  DecoderSpec s = read_decoder(config, {.theta = 150000.0}, "rms_norm_eps", 1e-5);
  s.qkv_bias = s.output_bias = config.boolean_or("attention_bias", true);
  s.names.sinks = "model.layers.{}.self_attn.sinks";
  set_windows(config, read_sliding_layers(config, s, [](std::int64_t i) { return i % 2 == 0; }), s);
  ExpertsSpec e = read_experts(config, s, "num_local_experts", "intermediate_size");
  config.require("hidden_act", "silu");
  config.require("swiglu_alpha", 1.702);
  config.require("swiglu_limit", 7.0);
  e.activation = ops::Activation::clamped_silu;
  e.normalise = true;  // a softmax over the chosen alone is the same
  e.router_bias = e.bias = true;
  e.storage = ExpertStorage::interleaved;
  use_experts(s, e, [](std::int64_t) { return true; });
  s.names.router = "model.layers.{}.mlp.router";
  s.names.expert.gate_up = "model.layers.{}.mlp.experts.gate_up_proj";
  s.names.expert.down = "model.layers.{}.mlp.experts.down_proj";
  return s;
}

}  // namespace ilt
