// IBM Granite 4: state-space layers with some of attention among them, feed-forward layers with or without experts.
#include <limits>

#include "base/error.h"
#include "model/families/experts.h"
#include "model/families/family.h"
#include "model/families/granite.h"

namespace ilt {

namespace {

// transformers 5 writes infinity as {"__float__": "Infinity"}.
double read_limit(const ConfigReader& config, const Json& value) {
  if (value.is_object() && value.value("__float__", "") == "Infinity") return std::numeric_limits<double>::infinity();
  if (!value.is_number()) config.unsupported("time_step_limit", to_line(value), {"numbers", "Infinity"});
  return value.get<double>();
}

void read_limits(const ConfigReader& config, MambaSpec& m) {
  const Json& limits = config.at("time_step_limit");
  if (!limits.is_array() || limits.size() != 2)
    config.unsupported("time_step_limit", to_line(limits), {"a list of two numbers"});
  m.least_step = read_limit(config, limits[0]);
  m.largest_step = read_limit(config, limits[1]);
}

// Which layers are state-space layers; transformers 5 calls those linear_attention.
std::vector<bool> read_mamba_layers(const ConfigReader& config, const DecoderSpec& s) {
  const char* key = config.has("layer_types") ? "layer_types" : "layers_block_type";
  if (!config.has(key)) return std::vector<bool>(s.layer_specs.size(), true);
  std::vector<bool> mamba;
  for (const std::string& type : config.texts(key)) {
    const bool attends = type == "attention" || type == "full_attention";
    if (!attends && type != "mamba" && type != "linear_attention")
      config.unsupported(key, type, {"mamba", "linear_attention", "attention", "full_attention"});
    mamba.push_back(!attends);
  }
  if (mamba.size() != s.layer_specs.size())
    fail(Status::format, "config.json: {} has {} entries, but num_hidden_layers is {}", key, mamba.size(), s.layers);
  return mamba;
}

MambaSpec read_mamba(const ConfigReader& config, const DecoderSpec& s) {
  MambaSpec m;
  const std::int64_t inner = config.positive_or("mamba_expand", 2) * s.hidden;
  m.heads = config.positive_or("mamba_n_heads", 128);
  const bool automatic = config.has("mamba_d_head") && config.at("mamba_d_head") == "auto";
  m.head_dim = automatic ? inner / m.heads : config.positive_or("mamba_d_head", 64);
  m.groups = config.positive_or("mamba_n_groups", 1);
  m.state = config.positive_or("mamba_d_state", 256);
  m.convolution = config.positive_or("mamba_d_conv", 4);
  m.convolution_bias = config.boolean_or("mamba_conv_bias", true);
  m.projection_bias = config.boolean_or("mamba_proj_bias", false);
  m.largest_step = std::numeric_limits<double>::infinity();
  if (config.has("time_step_limit")) read_limits(config, m);
  if (m.heads * m.head_dim != inner || m.heads % m.groups != 0)
    fail(Status::format,
         "config.json: mamba_n_heads ({}) of {} must make mamba_expand * hidden_size ({}), in {} groups", m.heads,
         m.head_dim, inner, m.groups);
  return m;
}

}  // namespace

DecoderSpec granite_hybrid_spec(const ConfigReader& config) {
  DecoderSpec s = read_decoder(config);
  s.qkv_bias = s.output_bias = config.boolean_or("attention_bias", false);
  read_granite_scales(config, s);
  s.names.mlp = {.gate_up = "model.layers.{}.shared_mlp.input_linear",
                 .down = "model.layers.{}.shared_mlp.output_linear"};
  const std::int64_t shared = config.positive_or("shared_intermediate_size", 1024);
  if (config.count_or("num_local_experts", 8) > 0) {
    read_granite_experts(config, s);
    s.experts->shared_width = shared;
    s.names.shared_mlp = s.names.mlp;
  }
  s.intermediate = shared;
  s.mamba = read_mamba(config, s);
  const std::string positions = config.text_or("position_embedding_type", "nope");
  if (positions != "rope" && positions != "nope")
    config.unsupported("position_embedding_type", positions, {"rope", "nope"});
  const std::vector<bool> mamba = read_mamba_layers(config, s);
  for (std::size_t i = 0; i < mamba.size(); ++i) {
    s.layer_specs[i].mixer = mamba[i] ? MixerKind::mamba : MixerKind::attention;
    s.layer_specs[i].rope = positions == "rope" ? 0 : -1;
  }
  return s;
}

}  // namespace ilt
