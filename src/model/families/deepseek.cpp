// DeepSeek V2 (softmax router, experts by groups) and V3, R1 (sigmoid router with a correction): latent attention.
#include <cmath>

#include "base/error.h"
#include "model/families/experts.h"
#include "model/families/family.h"

namespace ilt {

namespace {

// YaRN's temperature goes into the scores' scale, squared (mscale_all_dim).
double read_score_scale(const ConfigReader& config, std::int64_t head_dim) {
  const double scale = 1.0 / std::sqrt(static_cast<double>(head_dim));
  for (const char* key : {"rope_parameters", "rope_scaling"}) {
    if (!config.has(key)) continue;
    const ConfigReader rope = config.object(key);
    const double all = rope.number_or("mscale_all_dim", 0.0);
    if (all == 0.0 || !rope.has("factor") || rope.number("factor") <= 1.0) return scale;
    const double temperature = 0.1 * all * std::log(rope.number("factor")) + 1.0;
    return scale * temperature * temperature;
  }
  return scale;
}

DecoderSpec read_deepseek(const ConfigReader& config) {
  DecoderSpec s = read_decoder(config);
  config.require("moe_layer_freq", 1);
  LatentSpec latent;
  latent.query_rank = config.count_or("q_lora_rank", 0);
  latent.kv_rank = config.positive("kv_lora_rank");
  latent.still_dim = config.positive("qk_nope_head_dim");
  latent.turning_dim = config.positive("qk_rope_head_dim");
  latent.value_dim = config.positive("v_head_dim");
  latent.bias = config.boolean_or("attention_bias", false);
  s.latent = latent;
  s.kv_heads = s.heads;
  s.head_dim = latent.still_dim + latent.turning_dim;
  s.attention_scale = read_score_scale(config, s.head_dim);
  s.ropes = {read_rope(config, latent.turning_dim)};
  s.ropes[0].interleaved = config.boolean_or("rope_interleave", true);
  for (LayerSpec& layer : s.layer_specs) layer.mixer = MixerKind::latent_attention;
  ExpertsSpec e = read_experts(config, s, "n_routed_experts", "moe_intermediate_size");
  e.scale = config.number_or("routed_scaling_factor", 1.0);
  e.shared_width = e.width * config.count_or("n_shared_experts", 0);
  const std::int64_t first = config.count_or("first_k_dense_replace", 0);
  use_experts(s, e, [&](std::int64_t i) { return i >= first; });
  s.names.shared_mlp = mlp_names("model.layers.{}.mlp.shared_experts");
  return s;
}

void read_groups(const ConfigReader& config, ExpertsSpec& e) {
  e.groups = config.positive_or("n_group", 1);
  e.groups_per_token = config.positive_or("topk_group", 1);
  if (e.count % e.groups != 0 || e.groups_per_token > e.groups)
    fail(Status::format, "config.json: n_group ({}) must divide n_routed_experts ({}), and be at least topk_group ({})",
         e.groups, e.count, e.groups_per_token);
}

}  // namespace

DecoderSpec deepseek_v2_spec(const ConfigReader& config) {
  DecoderSpec s = read_deepseek(config);
  s.mlp_bias = config.boolean_or("mlp_bias", false);
  config.require("scoring_func", "softmax");
  config.require("norm_topk_prob", false);
  const std::string method = config.text_or("topk_method", "greedy");
  if (method == "group_limited_greedy")
    read_groups(config, *s.experts);
  else if (method != "greedy")
    config.unsupported("topk_method", method, {"greedy", "group_limited_greedy"});
  return s;
}

DecoderSpec deepseek_v3_spec(const ConfigReader& config) {
  DecoderSpec s = read_deepseek(config);
  config.require("scoring_func", "sigmoid");
  config.require("topk_method", "noaux_tc");
  read_groups(config, *s.experts);
  s.experts->score = RouterScore::sigmoid;
  s.experts->normalise = config.boolean_or("norm_topk_prob", true);
  s.names.router_correction = "model.layers.{}.mlp.gate.e_score_correction_bias";
  return s;
}

}  // namespace ilt
