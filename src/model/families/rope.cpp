// The rotary description of a config.json; defaults as in transformers' modeling_rope_utils.
#include "model/families/rope.h"

#include <cmath>
#include <map>
#include <optional>

#include "base/error.h"

namespace ilt {

namespace {

const std::map<std::string, RopeKind> kinds = {{"default", RopeKind::standard}, {"linear", RopeKind::linear},
                                               {"dynamic", RopeKind::dynamic},  {"yarn", RopeKind::yarn},
                                               {"llama3", RopeKind::llama3},    {"longrope", RopeKind::longrope},
                                               {"su", RopeKind::longrope}};  // its first name

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

// LongRoPE's temperature (arXiv 2402.13753, section 3.4).
double longrope_attention_factor(const ConfigReader& rope, double factor, double original) {
  if (rope.has("attention_factor")) return rope.number("attention_factor");
  return factor <= 1 ? 1.0 : std::sqrt(1.0 + std::log(factor) / std::log(original));
}

std::vector<double> read_factors(const ConfigReader& rope, const char* key, std::int64_t dim) {
  std::vector<double> factors = rope.numbers(key);
  if (static_cast<std::int64_t>(factors.size()) != dim / 2)
    fail(Status::format, "config.json: '{}' has {} factors, but {} pairs of components turn", key, factors.size(),
         dim / 2);
  return factors;
}

void read_scaling(const ConfigReader& config, const ConfigReader& rope, RopeSpec& spec) {
  const auto max_positions = spec.original_max_positions;
  if (spec.kind != RopeKind::linear && spec.kind != RopeKind::dynamic)
    spec.original_max_positions = config.number_or("original_max_position_embeddings",
                                                   rope.number_or("original_max_position_embeddings", max_positions));
  const double by_lengths = max_positions / spec.original_max_positions;
  const bool may_lack_factor = spec.kind == RopeKind::longrope || spec.kind == RopeKind::yarn;
  spec.factor = may_lack_factor ? rope.number_or("factor", by_lengths) : rope.number("factor");
  switch (spec.kind) {
    case RopeKind::llama3:
      spec.low_freq_factor = rope.number("low_freq_factor");
      spec.high_freq_factor = rope.number("high_freq_factor");
      break;
    case RopeKind::yarn:
      spec.beta_fast = rope.number_or("beta_fast", 32.0);
      spec.beta_slow = rope.number_or("beta_slow", 1.0);
      spec.truncate = rope.boolean_or("truncate", true);
      spec.attention_factor = yarn_attention_factor(rope, spec.factor);
      break;
    case RopeKind::longrope:
      spec.short_factor = read_factors(rope, "short_factor", spec.dim);
      spec.long_factor = read_factors(rope, "long_factor", spec.dim);
      spec.attention_factor = longrope_attention_factor(rope, spec.factor, spec.original_max_positions);
      break;
    default:
      break;
  }
}

// `rope` holds the description, or is absent.
RopeSpec read_one(const ConfigReader& config, const std::optional<ConfigReader>& rope, std::int64_t head_dim,
                  const RopeDefaults& defaults) {
  RopeSpec spec;
  spec.theta = config.number_or(defaults.theta_key, defaults.theta);
  spec.original_max_positions = static_cast<double>(config.positive_or("max_position_embeddings", 2048));
  double partial = config.number_or(defaults.partial_key, defaults.partial);
  if (rope) {
    spec.kind = read_kind(*rope);
    spec.theta = rope->number_or("rope_theta", spec.theta);
    partial = rope->number_or("partial_rotary_factor", partial);
  }
  spec.dim = static_cast<std::int64_t>(static_cast<double>(head_dim) * partial);
  if (spec.dim < 2 || spec.dim > head_dim || spec.dim % 2 != 0)
    fail(Status::format,
         "config.json: {} of a head's {} components would turn (partial_rotary_factor {}), expected an even number",
         spec.dim, head_dim, partial);
  if (rope && spec.kind != RopeKind::standard) read_scaling(config, *rope, spec);
  return spec;
}

std::optional<ConfigReader> rope_object(const ConfigReader& config) {
  for (const char* key : {"rope_parameters", "rope_scaling"})
    if (config.has(key)) return config.object(key);
  return std::nullopt;
}

}  // namespace

RopeSpec read_rope(const ConfigReader& config, std::int64_t head_dim, const RopeDefaults& defaults) {
  return read_one(config, rope_object(config), head_dim, defaults);
}

std::vector<RopeSpec> read_local_and_global_ropes(const ConfigReader& config, std::int64_t head_dim,
                                                  const RopeDefaults& local, const RopeDefaults& global) {
  const std::optional<ConfigReader> ropes = rope_object(config);
  const auto of_type = [&](const char* type) -> std::optional<ConfigReader> {
    if (ropes && ropes->has(type)) return ropes->object(type);
    return std::nullopt;
  };
  const bool by_type = ropes && (ropes->has("sliding_attention") || ropes->has("full_attention"));
  return {read_one(config, of_type("sliding_attention"), head_dim, local),
          read_one(config, by_type ? of_type("full_attention") : ropes, head_dim, global)};
}

}  // namespace ilt
