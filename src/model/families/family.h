// The model families: each turns a Hugging Face config.json into a decoder description.
#pragma once

#include <span>

#include "base/json.h"
#include "model/families/config_reader.h"
#include "model/spec.h"

namespace ilt {

struct Family {
  const char* architecture;  // transformers' class
  const char* model_type;
  const char* models;  // some that have it
  DecoderSpec (*read)(const ConfigReader& config);
};

// All that libilt knows.
std::span<const Family> known_families();

// Finds the family by config.json's architectures (or model_type) and reads the description.
// Throws unsupported, with the known ones, for an architecture or a feature that libilt lacks: never approximates.
DecoderSpec read_spec(const Json& config);

DecoderSpec cohere_spec(const ConfigReader& config);
DecoderSpec cohere2_spec(const ConfigReader& config);
DecoderSpec deepseek_v2_spec(const ConfigReader& config);
DecoderSpec deepseek_v3_spec(const ConfigReader& config);
DecoderSpec gemma_spec(const ConfigReader& config);
DecoderSpec gemma2_spec(const ConfigReader& config);
DecoderSpec gemma3_spec(const ConfigReader& config);
DecoderSpec glm_spec(const ConfigReader& config);
DecoderSpec glm4_spec(const ConfigReader& config);
DecoderSpec gpt2_spec(const ConfigReader& config);
DecoderSpec gpt_neox_spec(const ConfigReader& config);
DecoderSpec gpt_oss_spec(const ConfigReader& config);
DecoderSpec granite_spec(const ConfigReader& config);
DecoderSpec granite_hybrid_spec(const ConfigReader& config);
DecoderSpec granite_moe_spec(const ConfigReader& config);
DecoderSpec granite_moe_shared_spec(const ConfigReader& config);
DecoderSpec llama_spec(const ConfigReader& config);
DecoderSpec ministral_spec(const ConfigReader& config);
DecoderSpec mistral_spec(const ConfigReader& config);
DecoderSpec mixtral_spec(const ConfigReader& config);
DecoderSpec nemotron_spec(const ConfigReader& config);
DecoderSpec olmo2_spec(const ConfigReader& config);
DecoderSpec olmo3_spec(const ConfigReader& config);
DecoderSpec olmoe_spec(const ConfigReader& config);
DecoderSpec phi_spec(const ConfigReader& config);
DecoderSpec phi3_spec(const ConfigReader& config);
DecoderSpec qwen2_spec(const ConfigReader& config);
DecoderSpec qwen2_moe_spec(const ConfigReader& config);
DecoderSpec qwen3_spec(const ConfigReader& config);
DecoderSpec qwen3_moe_spec(const ConfigReader& config);
DecoderSpec seed_oss_spec(const ConfigReader& config);
DecoderSpec smollm3_spec(const ConfigReader& config);
DecoderSpec stablelm_spec(const ConfigReader& config);
DecoderSpec starcoder2_spec(const ConfigReader& config);

}  // namespace ilt
