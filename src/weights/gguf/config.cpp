// Reading the hyperparameters of a GGUF file, in config.json's terms.
#include "weights/gguf/config.h"

#include <algorithm>
#include <array>
#include <set>

#include "weights/gguf/fault.h"
#include "weights/gguf/rope.h"

namespace ilt {
namespace {

// Keys of an architecture that change nothing here, or that are looked at one by one.
constexpr std::array neutral_keys = {"vocab_size",
                                     "rope.dimension_count",
                                     "attention.value_length",
                                     "attention.key_length_swa",
                                     "attention.value_length_swa",
                                     "rope.dimension_count_swa",
                                     "attention.causal",
                                     "expert_count",
                                     "expert_used_count",
                                     "tensor_data_layout",
                                     "rope.scaling.type",
                                     "rope.scaling.factor",
                                     "rope.scaling.original_context_length",
                                     "rope.scaling.attn_factor",
                                     "rope.scaling.finetuned",
                                     "rope.scaling.yarn_beta_fast",
                                     "rope.scaling.yarn_beta_slow"};

class ConfigBuilder {
 public:
  explicit ConfigBuilder(const GgufContent& content)
      : content_(content),
        metadata_(content.metadata),
        architecture_(gguf_architecture(content)),
        prefix_(std::string(architecture_.name) + ".") {}

  Json build() {
    require_known_keys();
    config_ = {{"architectures", {architecture_.hf_class}}, {"model_type", architecture_.model_type}};
    config_["vocab_size"] = vocab();
    for (const GgufKey& key : common_gguf_keys()) read(key);
    for (const GgufKey& key : architecture_.own_keys) read(key);
    config_[architecture_.activation_key] = architecture_.activation;
    if (architecture_.optional_attention_bias) config_["attention_bias"] = has("blk.0.attn_q.bias");
    if (architecture_.optional_mlp_bias) config_["mlp_bias"] = has("blk.0.ffn_up.bias");
    config_["tie_word_embeddings"] = !has("output.weight");
    read_rope();
    read_what_is_implied();
    read_token_ids();
    const std::string dtype(torch_name(gguf_export_dtype(content_)));
    config_["torch_dtype"] = dtype;
    config_["dtype"] = dtype;
    return std::move(config_);
  }

 private:
  bool has(const char* tensor) const { return content_.tensors.contains(tensor); }

  std::int64_t vocab() const {
    constexpr auto name = "token_embd.weight";
    const auto it = content_.tensors.find(name);
    if (it == content_.tensors.end() || it->second.shape.size() != 2)
      fail_gguf(metadata_.path(), {"the tensors", fmt::format("no matrix {}", name), "it", GgufFault{}.advice, name});
    return it->second.shape[0];
  }

  void require_known_keys() const {
    std::set<std::string> known;
    for (const char* key : neutral_keys) known.insert(prefix_ + key);
    for (const GgufKey& key : common_gguf_keys()) known.insert(prefix_ + key.gguf);
    for (const GgufKey& key : architecture_.own_keys) known.insert(prefix_ + key.gguf);
    for (const std::string& key : metadata_.keys())
      if (key.starts_with(prefix_) && !known.contains(key))
        refuse_gguf(metadata_.path(), "the metadata's key", "'" + key + "'",
                    "libilt does not know what it changes in the model");
    if (metadata_.integer_or(prefix_ + "expert_count", 0) > 0)
      refuse_gguf(metadata_.path(), prefix_ + "expert_count",
                  fmt::format("{}", metadata_.integer(prefix_ + "expert_count")),
                  "libilt reads models with experts from safetensors");
    if (!metadata_.boolean_or(prefix_ + "attention.causal", true))
      refuse_gguf(metadata_.path(), prefix_ + "attention.causal", "false", "libilt trains decoders");
  }

  // Some keys may hold a number for each layer; libilt has one for all.
  std::int64_t integer(const std::string& key) const {
    if (!metadata_.has(key) || !metadata_.is_array(key)) return metadata_.integer(key);
    const std::vector<std::int64_t> values = metadata_.integers(key);
    if (values.empty() || std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) != values.end())
      refuse_gguf(metadata_.path(), key, "a number for each layer", "libilt knows one for all layers");
    return values.front();
  }

  void read(const GgufKey& key) {
    const std::string name = prefix_ + key.gguf;
    if (!key.required && !metadata_.has(name)) return;
    if (key.kind == GgufNumber::integer) {
      config_[key.hf] = integer(name);
    } else {
      config_[key.hf] = metadata_.number(name);
    }
  }

  std::int64_t positive(const char* key) const {
    const auto value = config_.at(key).get<std::int64_t>();
    if (value < 1)
      fail_gguf(metadata_.path(), {fmt::format("the value for {}", key), fmt::format("{}", value), "a positive one"});
    return value;
  }

  std::int64_t head_dim() const {
    const std::int64_t usual = positive("hidden_size") / positive("num_attention_heads");
    return config_.contains("head_dim") ? positive("head_dim") : usual;
  }

  void read_rope() {
    const std::int64_t head = head_dim();
    if (const auto value = metadata_.integer_or(prefix_ + "attention.value_length", head); value != head)
      refuse_gguf(metadata_.path(), prefix_ + "attention.value_length", fmt::format("{}", value),
                  fmt::format("libilt knows values as long as keys ({})", head));
    const std::int64_t turning = metadata_.integer_or(prefix_ + "rope.dimension_count", head);
    if (turning < 2 || turning > head)
      fail_gguf(metadata_.path(), {prefix_ + "rope.dimension_count", fmt::format("{}", turning),
                                   fmt::format("a number from 2 to {}, of a head's components", head)});
    if (turning != head) config_["partial_rotary_factor"] = static_cast<double>(turning) / static_cast<double>(head);
    if (!config_.contains("rope_theta")) config_["rope_theta"] = 10000.0;  // ggml's default
    config_["rope_scaling"] = read_gguf_rope(content_, architecture_.name, turning, config_);
  }

  // What llama.cpp knows of an architecture without a key for it.
  void read_what_is_implied() {
    const std::string_view name = architecture_.name;
    if (name == "gemma2" || name == "gemma3") {
      // The 27B models of either divide by the width of a head that they would have without a key for it.
      const auto layers = config_["num_hidden_layers"].get<std::int64_t>();
      const bool largest = layers == (name == "gemma2" ? 46 : 62);
      config_["query_pre_attn_scalar"] =
          largest ? config_["hidden_size"].get<std::int64_t>() / config_["num_attention_heads"].get<std::int64_t>()
                  : head_dim();
    }
  }

  void read_token_ids() {
    for (const auto& [key, hf] : {std::pair{"tokenizer.ggml.bos_token_id", "bos_token_id"},
                                  std::pair{"tokenizer.ggml.eos_token_id", "eos_token_id"},
                                  std::pair{"tokenizer.ggml.padding_token_id", "pad_token_id"}})
      if (metadata_.has(key)) config_[hf] = metadata_.integer(key);
  }

  const GgufContent& content_;
  const GgufMetadata& metadata_;
  const GgufArchitecture& architecture_;
  std::string prefix_;
  Json config_;
};

}  // namespace

const GgufArchitecture& gguf_architecture(const GgufContent& content) {
  const GgufMetadata& m = content.metadata;
  if (const std::string type = m.text_or("general.type", "model"); type != "model")
    refuse_gguf(m.path(), "general.type", "'" + type + "'", "libilt reads models");
  if (const std::int64_t parts = m.integer_or("split.count", 1); parts > 1)
    refuse_gguf(m.path(), "split.count", fmt::format("{}", parts),
                "libilt reads models in one file: join the parts with `llama-gguf-split --merge`");
  const std::string name = m.text("general.architecture");
  if (const GgufArchitecture* const found = find_gguf_architecture(name)) return *found;
  refuse_gguf(m.path(), "general.architecture", "'" + name + "'",
              "of GGUF files libilt knows: " + known_gguf_architectures());
}

Json gguf_config(const GgufContent& content) {
  return ConfigBuilder(content).build();
}

Json gguf_generation_config(const GgufMetadata& metadata) {
  Json config = Json::object();
  if (metadata.has("tokenizer.ggml.bos_token_id"))
    config["bos_token_id"] = metadata.integer("tokenizer.ggml.bos_token_id");
  Json ends = Json::array();
  for (const char* key : {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"})
    if (metadata.has(key))
      if (Json id = metadata.integer(key); std::find(ends.begin(), ends.end(), id) == ends.end()) ends.push_back(id);
  if (!ends.empty()) config["eos_token_id"] = std::move(ends);
  if (metadata.has("tokenizer.ggml.padding_token_id"))
    config["pad_token_id"] = metadata.integer("tokenizer.ggml.padding_token_id");
  return config;
}

DType gguf_export_dtype(const GgufContent& content) {
  std::set<GgufTensorType> types;
  for (const auto& [name, tensor] : content.tensors)
    if (tensor.shape.size() > 1) types.insert(tensor.type);
  if (types == std::set{GgufTensorType::f32}) return DType::f32;
  if (types == std::set{GgufTensorType::f16}) return DType::f16;
  return DType::bf16;
}

}  // namespace ilt
