// What a GGUF architecture is to Hugging Face: its class, the names of tensors and of numbers, what is stored
// otherwise.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ilt {

// A tensor's name without ".weight" or ".bias"; "{}" stands for the layer.
struct GgufName {
  const char* gguf;
  const char* hf;
};

enum class GgufNumber { integer, real };

// A number of config.json; the key of the file has the architecture's name and a dot before it.
struct GgufKey {
  const char* gguf;
  const char* hf;
  GgufNumber kind = GgufNumber::integer;
  bool required = false;                // in a GGUF file
  std::optional<double> fallback = {};  // transformers' where config.json has no such key
};

struct GgufArchitecture {
  const char* name;  // general.architecture
  const char* hf_class;
  const char* model_type;
  std::span<const GgufName> own_names;  // beside those that all have, and in place of them
  std::span<const GgufKey> own_keys;    // beside those that all have
  // Rows of queries and keys lie so that components that turn together are neighbours.
  bool paired_heads = false;
  // Weights of norms are stored as what the norm multiplies by, not as one less.
  bool whole_norms = false;
  const char* activation_key = "hidden_act";
  const char* activation = "silu";
  bool optional_attention_bias = false;  // attention_bias tells of biases
  bool optional_mlp_bias = false;
  double rope_theta = 10000.0;  // transformers' default
};

// nullptr where libilt does not know it.
const GgufArchitecture* find_gguf_architecture(std::string_view name);
const GgufArchitecture* find_gguf_architecture_of(std::string_view hf_class);
// "llama, qwen2, ...", and "LlamaForCausalLM, ...".
std::string known_gguf_architectures();
std::string known_gguf_classes();

std::span<const GgufKey> common_gguf_keys();

// "model.layers.3.self_attn.q_proj.weight" for "blk.3.attn_q.weight", and back; nothing for a name that has no place.
std::optional<std::string> hf_tensor_name(const GgufArchitecture& architecture, std::string_view gguf);
std::optional<std::string> gguf_tensor_name(const GgufArchitecture& architecture, std::string_view hf);

// Of how a tensor's values are stored otherwise than in a Hugging Face folder, by its Hugging Face name.
bool is_paired(const GgufArchitecture& architecture, std::string_view hf);
bool is_whole_norm(const GgufArchitecture& architecture, std::string_view hf);

}  // namespace ilt
