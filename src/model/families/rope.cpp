// The rotary description of a config.json; defaults as in transformers' modeling_rope_utils.
#include "model/families/rope.h"

#include <cmath>
#include <map>
#include <optional>

namespace ilt {

namespace {

const std::map<std::string, RopeKind> kinds = {{"default", RopeKind::standard},
                                               {"linear", RopeKind::linear},
                                               {"dynamic", RopeKind::dynamic},
                                               {"yarn", RopeKind::yarn},
                                               {"llama3", RopeKind::llama3}};

RopeKind read_kind(const ConfigReader& rope) {
  // "type" is the older spelling of "rope_type".
  const std::string key = rope.has("rope_type") ? "rope_type" : "type";
  const std::string name = rope.text_or(key, "default");
  const auto it = kinds.find(name);
  if (it == kinds.end()) {
    std::vector<std::string> known;
    for (const auto& [kind, value] : kinds) known.push_back(kind);
    rope.unsupported(key, name, known);
  }
  return it->second;
}

double yarn_scale(double factor, double mscale) {
  return factor <= 1 ? 1.0 : 0.1 * mscale * std::log(factor) + 1.0;
}

// YaRN's temperature (arXiv 2309.00071, section 3.4), with DeepSeek's two scales where they are given.
double yarn_attention_factor(const ConfigReader& rope, double factor) {
  if (rope.has("attention_factor")) return rope.number("attention_factor");
  const double mscale = rope.number_or("mscale", 0.0);
  const double all = rope.number_or("mscale_all_dim", 0.0);
  if (mscale != 0.0 && all != 0.0) return yarn_scale(factor, mscale) / yarn_scale(factor, all);
  return yarn_scale(factor, 1.0);
}

}  // namespace

RopeSpec read_rope(const ConfigReader& config, double default_theta) {
  RopeSpec spec;
  spec.theta = config.number_or("rope_theta", default_theta);
  spec.original_max_positions = static_cast<double>(config.positive_or("max_position_embeddings", 2048));
  std::optional<ConfigReader> rope;
  for (const char* key : {"rope_parameters", "rope_scaling"})
    if (!rope && config.has(key)) rope = config.object(key);
  if (!rope) return spec;

  spec.kind = read_kind(*rope);
  spec.theta = rope->number_or("rope_theta", spec.theta);
  if (spec.kind == RopeKind::standard) return spec;
  spec.factor = rope->number("factor");
  if (spec.kind == RopeKind::yarn || spec.kind == RopeKind::llama3)
    spec.original_max_positions = rope->number_or("original_max_position_embeddings", spec.original_max_positions);
  if (spec.kind == RopeKind::llama3) {
    spec.low_freq_factor = rope->number("low_freq_factor");
    spec.high_freq_factor = rope->number("high_freq_factor");
  }
  if (spec.kind == RopeKind::yarn) {
    spec.beta_fast = rope->number_or("beta_fast", 32.0);
    spec.beta_slow = rope->number_or("beta_slow", 1.0);
    spec.truncate = rope->boolean_or("truncate", true);
    spec.attention_factor = yarn_attention_factor(*rope, spec.factor);
  }
  return spec;
}

}  // namespace ilt
