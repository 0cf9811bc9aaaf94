// Writing the hyperparameters of a model. Numbers that config.json leaves to transformers' defaults are written, for
// llama.cpp's are others.
#include "weights/gguf/write_config.h"

#include "base/error.h"

namespace ilt {
namespace {

// llama.cpp's llama_ftype.
std::uint32_t file_type(GgufTensorType type) {
  switch (type) {
    case GgufTensorType::f16:
      return 1;
    case GgufTensorType::q8_0:
      return 7;
    case GgufTensorType::bf16:
      return 32;
    default:
      return 0;
  }
}

bool has_number(const Json& config, const char* key) {
  return config.contains(key) && config[key].is_number();
}

void write(GgufHead& head, const std::string& prefix, const GgufKey& key, const Json& config) {
  if (!has_number(config, key.hf) && !key.fallback) return;
  const double value = has_number(config, key.hf) ? config[key.hf].get<double>() : *key.fallback;
  if (key.kind == GgufNumber::integer) {
    head.add_u32(prefix + key.gguf, static_cast<std::uint32_t>(value));
  } else {
    head.add_f32(prefix + key.gguf, static_cast<float>(value));
  }
}

void write_rope(GgufHead& head, const std::string& prefix, const GgufRope& rope) {
  const auto add = [&](const char* key, double value) {
    if (value != 0.0) head.add_f32(prefix + key, static_cast<float>(value));
  };
  head.add_u32(prefix + "rope.dimension_count", static_cast<std::uint32_t>(rope.turning));
  if (!rope.type.empty()) head.add_text(prefix + "rope.scaling.type", rope.type);
  add("rope.freq_base", rope.theta);
  add("rope.scaling.factor", rope.factor);
  add("rope.scaling.attn_factor", rope.attention_factor);
  add("rope.scaling.yarn_beta_fast", rope.beta_fast);
  add("rope.scaling.yarn_beta_slow", rope.beta_slow);
  if (rope.original_context != 0.0)
    head.add_u32(prefix + "rope.scaling.original_context_length", static_cast<std::uint32_t>(rope.original_context));
}

}  // namespace

const GgufArchitecture& gguf_architecture_for(const Json& config) {
  const std::string hf = config.contains("architectures") && !config["architectures"].empty()
                             ? config["architectures"][0].get<std::string>()
                             : config.value("model_type", "");
  if (const GgufArchitecture* const found = find_gguf_architecture_of(hf)) return *found;
  throw Error(
      Status::unsupported,
      fmt::format("config.json: models of '{}' are not written as GGUF; libilt writes: {}", hf, known_gguf_classes()),
      {{"key", "architectures"}, {"got", hf}});
}

void write_gguf_general(GgufHead& head, const GgufArchitecture& architecture, const std::string& name,
                        GgufTensorType type) {
  head.add_text("general.architecture", architecture.name);
  head.add_text("general.type", "model");
  head.add_text("general.name", name);
  head.add_u32("general.file_type", file_type(type));
  head.add_u32("general.quantization_version", 2);  // ggml's
}

void write_gguf_config(GgufHead& head, const GgufArchitecture& architecture, const Json& config, const GgufRope& rope) {
  const std::string prefix = std::string(architecture.name) + ".";
  head.add_u32(prefix + "vocab_size", config.at("vocab_size").get<std::uint32_t>());
  for (const GgufKey& key : common_gguf_keys())
    if (std::string_view(key.hf) != "rope_theta") write(head, prefix, key, config);
  for (const GgufKey& key : architecture.own_keys) write(head, prefix, key, config);
  if (has_number(config, "head_dim"))
    head.add_u32(prefix + "attention.value_length", config["head_dim"].get<std::uint32_t>());
  write_rope(head, prefix, rope);
}

}  // namespace ilt
