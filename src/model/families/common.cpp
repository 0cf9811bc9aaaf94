// Reading what most families share, with the checks that they need.
#include "model/families/common.h"

#include <cmath>
#include <map>

#include "base/error.h"
#include "base/log.h"
#include "model/families/counts.h"

namespace ilt {

namespace {

const std::map<std::string, ops::Activation> activations = {{"silu", ops::Activation::silu},
                                                            {"swish", ops::Activation::silu},
                                                            {"gelu", ops::Activation::gelu},
                                                            {"gelu_new", ops::Activation::gelu_tanh},
                                                            {"gelu_pytorch_tanh", ops::Activation::gelu_tanh},
                                                            {"relu2", ops::Activation::relu2}};

void check_heads(const DecoderSpec& s) {
  if (s.heads % s.kv_heads != 0)
    fail(Status::format, "config.json: num_attention_heads ({}) is no multiple of num_key_value_heads ({})", s.heads,
         s.kv_heads);
  if (s.head_dim < 1)
    fail(Status::format, "config.json: hidden_size ({}) is less than num_attention_heads ({})", s.hidden, s.heads);
}

}  // namespace

void report_dropout(const ConfigReader& config) {
  for (const char* key : {"attention_dropout", "hidden_dropout", "residual_dropout", "embedding_dropout", "resid_pdrop",
                          "embd_pdrop", "attn_pdrop", "router_jitter_noise"})
    if (const double p = config.number_or(key, 0.0); p != 0.0)
      log::warn("model", "config.json: '{}' is {}: libilt trains without dropout", key, p);
}

DecoderSpec read_decoder(const ConfigReader& config, const RopeDefaults& rope, const char* norm_key, double norm_eps) {
  DecoderSpec s;
  s.vocab = config.positive("vocab_size");
  s.hidden = config.positive("hidden_size");
  s.layers = read_count(config, "num_hidden_layers");
  s.intermediate = config.positive("intermediate_size");
  s.heads = config.positive("num_attention_heads");
  s.kv_heads = config.positive_or("num_key_value_heads", s.heads);
  s.head_dim = config.positive_or("head_dim", s.hidden / s.heads);
  s.max_positions = config.positive_or("max_position_embeddings", 2048);
  check_heads(s);
  s.norm.eps = config.number_or(norm_key, norm_eps);
  s.head_norm_spec = s.norm;
  s.tied = config.boolean_or("tie_word_embeddings", false);
  s.attention_scale = 1.0 / std::sqrt(static_cast<double>(s.head_dim));
  s.activation = read_activation(config, "hidden_act", "silu");
  s.ropes = {read_rope(config, s.head_dim, rope)};
  s.layer_specs.resize(static_cast<std::size_t>(s.layers));
  s.ignored = {"rotary_emb.inv_freq"};
  report_dropout(config);
  return s;
}

ops::Activation read_activation(const ConfigReader& config, const char* key, const char* fallback) {
  const std::string name = config.text_or(key, fallback);
  const auto it = activations.find(name);
  if (it != activations.end()) return it->second;
  std::vector<std::string> known;
  for (const auto& [text, activation] : activations) known.push_back(text);
  config.unsupported(key, name, known);
}

void read_window(const ConfigReader& config, DecoderSpec& spec) {
  set_windows(config, std::vector<bool>(spec.layer_specs.size(), config.has("sliding_window")), spec);
}

std::vector<bool> read_sliding_layers(const ConfigReader& config, const DecoderSpec& spec,
                                      const std::function<bool(std::int64_t)>& slides) {
  std::vector<bool> sliding;
  if (!config.has("layer_types")) {
    for (std::int64_t i = 0; i < spec.layers; ++i) sliding.push_back(slides(i));
    return sliding;
  }
  for (const std::string& type : config.texts("layer_types")) {
    if (type != "sliding_attention" && type != "full_attention")
      config.unsupported("layer_types", type, {"sliding_attention", "full_attention"});
    sliding.push_back(type == "sliding_attention");
  }
  if (sliding.size() != spec.layer_specs.size())
    fail(Status::format, "config.json: layer_types has {} entries, but num_hidden_layers is {}", sliding.size(),
         spec.layers);
  return sliding;
}

void set_windows(const ConfigReader& config, const std::vector<bool>& sliding, DecoderSpec& spec) {
  for (std::size_t i = 0; i < sliding.size(); ++i)
    if (sliding[i]) spec.layer_specs[i].window = config.positive("sliding_window");
}

void use_layer_norm(DecoderSpec& spec, bool bias) {
  spec.norm.kind = NormKind::layer;
  spec.norm.bias = bias;
}

}  // namespace ilt
