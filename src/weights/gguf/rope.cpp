// rope_scaling in GGUF: keys for what one number says, tensors of divisors for the rest.
#include "weights/gguf/rope.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "base/error.h"
#include "weights/gguf/dequantise.h"
#include "weights/gguf/fault.h"

namespace ilt {
namespace {

constexpr auto divisors_name = "rope_freqs.weight";
constexpr auto long_name = "rope_factors_long.weight";
constexpr auto short_name = "rope_factors_short.weight";

struct Llama3 {
  double factor = 1, low = 1, high = 4, original = 8192;
};

// What Llama 3.1's scaling divides each frequency by.
std::vector<float> llama3_divisors(const Llama3& scaling, double theta, std::int64_t dim) {
  std::vector<float> divisors;
  for (std::int64_t i = 0; i < dim; i += 2) {
    const double frequency = 1.0 / std::pow(theta, static_cast<double>(i) / static_cast<double>(dim));
    const double wave = 2.0 * std::numbers::pi / frequency;
    const double smooth = (scaling.original / wave - scaling.low) / (scaling.high - scaling.low);
    double divisor = 1.0 / ((1.0 - smooth) / scaling.factor + smooth);
    if (wave < scaling.original / scaling.high) divisor = 1.0;
    if (wave > scaling.original / scaling.low) divisor = scaling.factor;
    divisors.push_back(static_cast<float>(divisor));
  }
  return divisors;
}

// A number of config.json, or the fallback where it is missing or null.
double number_in(const Json& object, const char* key, double fallback) {
  return object.is_object() && object.contains(key) && object[key].is_number() ? object[key].get<double>() : fallback;
}

bool are_close(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](float x, float y) { return std::fabs(x - y) <= 1e-5F * std::fabs(y); });
}

// The file holds divisors alone. Which parameters they were made with is found by trying: all known models have 1 and 4
// for the ends of the slope, and a power of two for the length before.
std::optional<Llama3> find_llama3(const std::vector<float>& divisors, double theta, std::int64_t dim) {
  Llama3 scaling;
  scaling.factor = divisors.back();
  if (are_close(divisors, llama3_divisors(scaling, theta, dim))) return scaling;
  for (scaling.original = 16; scaling.original <= (1 << 20); scaling.original *= 2)
    if (are_close(divisors, llama3_divisors(scaling, theta, dim))) return scaling;
  return {};
}

std::vector<float> read_divisors(const GgufContent& content, const char* name, std::int64_t dim) {
  const auto it = content.tensors.find(name);
  if (it == content.tensors.end())
    fail_gguf(content.metadata.path(), {"the tensors", fmt::format("no {}", name), "it", GgufFault{}.advice, name});
  if (it->second.numel() != dim / 2)
    fail_gguf(content.metadata.path(),
              {fmt::format("tensor '{}'", name), fmt::format("{} values", it->second.numel()),
               fmt::format("{}, as {} components of a head turn", dim / 2, dim), GgufFault{}.advice, name});
  std::vector<float> divisors(static_cast<std::size_t>(dim / 2));
  dequantise(it->second.type, it->second.bytes, divisors);
  return divisors;
}

Json to_json(const std::vector<float>& values) {
  Json list = Json::array();
  for (const float value : values) list.push_back(shortest_decimal(value));
  return list;
}

Json read_longrope(const GgufContent& content, const std::string& prefix, const Json& config, std::int64_t dim) {
  const double longest = config.at("max_position_embeddings").get<double>();
  const double original = content.metadata.number(prefix + "original_context_length");
  Json rope = {{"rope_type", "longrope"},
               {"short_factor", to_json(read_divisors(content, short_name, dim))},
               {"long_factor", to_json(read_divisors(content, long_name, dim))},
               {"original_max_position_embeddings", static_cast<std::int64_t>(original)}};
  const double factor = content.metadata.number_or(prefix + "attn_factor", 1.0);
  // Left out where it is the one that follows, which transformers computes more exactly.
  const double usual = longest <= original ? 1.0 : std::sqrt(1.0 + std::log(longest / original) / std::log(original));
  if (static_cast<float>(factor) != static_cast<float>(usual)) rope["attention_factor"] = factor;
  return rope;
}

Json read_llama3(const GgufContent& content, const Json& config, std::int64_t dim) {
  const std::vector<float> divisors = read_divisors(content, divisors_name, dim);
  if (const auto found = find_llama3(divisors, config.value("rope_theta", 10000.0), dim))
    return {{"rope_type", "llama3"},
            {"factor", found->factor},
            {"low_freq_factor", found->low},
            {"high_freq_factor", found->high},
            {"original_max_position_embeddings", static_cast<std::int64_t>(found->original)}};
  // Any divisors are those of a LongRoPE whose two lists are one.
  return {
      {"rope_type", "longrope"},          {"factor", 1.0},
      {"attention_factor", 1.0},          {"short_factor", to_json(divisors)},
      {"long_factor", to_json(divisors)}, {"original_max_position_embeddings", config.at("max_position_embeddings")}};
}

Json read_by_type(const GgufMetadata& metadata, const std::string& prefix) {
  const std::string type = metadata.text_or(prefix + "type", "none");
  if (type == "none") return nullptr;
  if (type == "linear") return {{"rope_type", "linear"}, {"factor", metadata.number(prefix + "factor")}};
  if (type != "yarn")
    refuse_gguf(metadata.path(), prefix + "type", "'" + type + "'", "libilt knows none, linear, yarn and longrope");
  const double factor = metadata.number(prefix + "factor");
  Json rope = {{"rope_type", "yarn"}, {"factor", factor}};
  if (metadata.has(prefix + "original_context_length"))
    rope["original_max_position_embeddings"] = metadata.integer(prefix + "original_context_length");
  if (metadata.has(prefix + "yarn_beta_fast")) rope["beta_fast"] = metadata.number(prefix + "yarn_beta_fast");
  if (metadata.has(prefix + "yarn_beta_slow")) rope["beta_slow"] = metadata.number(prefix + "yarn_beta_slow");
  // llama.cpp multiplies YaRN's own factor by this one.
  if (const double attention = metadata.number_or(prefix + "attn_factor", 1.0); attention != 1.0)
    rope["attention_factor"] = attention * (0.1 * std::log(factor) + 1.0);
  return rope;
}

// The description of layers that see all tokens, in either generation of keys; null where there is none.
Json rope_of(const Json& config) {
  for (const char* key : {"rope_parameters", "rope_scaling"}) {
    if (!config.contains(key) || !config[key].is_object()) continue;
    return config[key].contains("full_attention") ? config[key]["full_attention"] : config[key];
  }
  return nullptr;
}

// How many of a head's components turn.
std::int64_t turning(const Json& config, const Json& rope) {
  const double heads = number_in(config, "num_attention_heads", 1.0);
  const double head = number_in(config, "head_dim", std::floor(number_in(config, "hidden_size", 0.0) / heads));
  return static_cast<std::int64_t>(
      head * number_in(rope, "partial_rotary_factor", number_in(config, "partial_rotary_factor", 1.0)));
}

std::vector<float> floats_in(const Json& rope, const char* key) {
  return rope.contains(key) ? rope[key].get<std::vector<float>>() : std::vector<float>();
}

void write_yarn(const Json& config, const Json& rope, GgufRope& result) {
  result.type = "yarn";
  result.factor = number_in(rope, "factor", 1.0);
  result.original_context =
      number_in(rope, "original_max_position_embeddings", number_in(config, "max_position_embeddings", 0.0));
  result.beta_fast = number_in(rope, "beta_fast", 0.0);
  result.beta_slow = number_in(rope, "beta_slow", 0.0);
  if (const double attention = number_in(rope, "attention_factor", 0.0); attention != 0.0)
    result.attention_factor = attention / (0.1 * std::log(result.factor) + 1.0);
}

void write_longrope(const Json& config, const Json& rope, GgufRope& result) {
  const double longest = number_in(config, "max_position_embeddings", 0.0);
  const double original = number_in(config, "original_max_position_embeddings",
                                    number_in(rope, "original_max_position_embeddings", longest));
  const double factor = number_in(rope, "factor", longest / original);
  result.original_context = original;
  result.attention_factor =
      number_in(rope, "attention_factor", factor <= 1.0 ? 1.0 : std::sqrt(1.0 + std::log(factor) / std::log(original)));
  result.tensors = {{long_name, floats_in(rope, "long_factor")}, {short_name, floats_in(rope, "short_factor")}};
}

void write_llama3(const Json& config, const Json& rope, GgufRope& result) {
  const Llama3 scaling{
      number_in(rope, "factor", 1.0), number_in(rope, "low_freq_factor", 1.0), number_in(rope, "high_freq_factor", 4.0),
      number_in(rope, "original_max_position_embeddings", number_in(config, "max_position_embeddings", 0.0))};
  result.tensors = {{divisors_name, llama3_divisors(scaling, result.theta, result.turning)}};
}

}  // namespace

bool is_gguf_rope_tensor(const std::string& name) {
  return name == divisors_name || name == long_name || name == short_name;
}

Json read_gguf_rope(const GgufContent& content, const std::string& architecture, std::int64_t turning,
                    const Json& config) {
  const std::string prefix = architecture + ".rope.scaling.";
  if (content.tensors.contains(long_name)) return read_longrope(content, prefix, config, turning);
  if (content.tensors.contains(divisors_name)) return read_llama3(content, config, turning);
  return read_by_type(content.metadata, prefix);
}

GgufRope write_gguf_rope(const Json& config, double default_theta) {
  const Json rope = rope_of(config);
  GgufRope result;
  result.theta = number_in(rope, "rope_theta", number_in(config, "rope_theta", default_theta));
  result.turning = turning(config, rope);
  const std::string type = rope.is_null() ? "default" : rope.value("rope_type", rope.value("type", "default"));
  if (type == "linear") {
    result.type = type;
    result.factor = number_in(rope, "factor", 1.0);
  } else if (type == "yarn") {
    write_yarn(config, rope, result);
  } else if (type == "longrope") {
    write_longrope(config, rope, result);
  } else if (type == "llama3") {
    write_llama3(config, rope, result);
  } else if (type != "default") {
    fail(Status::unsupported, "config.json: rope_type is '{}', which GGUF has no place for", type);
  }
  return result;
}

}  // namespace ilt
