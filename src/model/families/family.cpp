// Which family reads which architecture.
#include "model/families/family.h"

#include <fmt/ranges.h>

#include <array>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "model/families/config_reader.h"

namespace ilt {

namespace {

constexpr std::array families = std::to_array<Family>({
    {"LlamaForCausalLM", "llama", "Llama 1 to 3, SmolLM2, TinyLlama, Yi, DeepSeek LLM", llama_spec},
    {"MistralForCausalLM", "mistral", "Mistral 7B, Nemo, Small 3, Large", mistral_spec},
    {"MinistralForCausalLM", "ministral", "Ministral 8B", ministral_spec},
    {"Qwen2ForCausalLM", "qwen2", "Qwen 1.5, 2, 2.5, QwQ, DeepSeek-R1-Distill-Qwen", qwen2_spec},
    {"Qwen3ForCausalLM", "qwen3", "Qwen 3 dense", qwen3_spec},
    {"GraniteForCausalLM", "granite", "Granite 3 dense", granite_spec},
    {"Phi3ForCausalLM", "phi3", "Phi 3, 3.5 mini, 4, 4 mini", phi3_spec},
    {"GemmaForCausalLM", "gemma", "Gemma 1", gemma_spec},
    {"Gemma2ForCausalLM", "gemma2", "Gemma 2", gemma2_spec},
    {"Gemma3ForCausalLM", "gemma3_text", "Gemma 3 text (270M, 1B, or the text part of larger ones)", gemma3_spec},
    {"Olmo2ForCausalLM", "olmo2", "OLMo 2", olmo2_spec},
    {"Olmo3ForCausalLM", "olmo3", "OLMo 3", olmo3_spec},
    {"SmolLM3ForCausalLM", "smollm3", "SmolLM3", smollm3_spec},
    {"Starcoder2ForCausalLM", "starcoder2", "StarCoder2", starcoder2_spec},
    {"StableLmForCausalLM", "stablelm", "Stable LM 3B, Stable LM 2", stablelm_spec},
    {"PhiForCausalLM", "phi", "Phi 1, 1.5, 2", phi_spec},
    {"CohereForCausalLM", "cohere", "Command R, R+, Aya 23", cohere_spec},
    {"Cohere2ForCausalLM", "cohere2", "Command R7B, Command A", cohere2_spec},
    {"GlmForCausalLM", "glm", "GLM-4-9B", glm_spec},
    {"Glm4ForCausalLM", "glm4", "GLM-4-0414 9B, 32B", glm4_spec},
    {"SeedOssForCausalLM", "seed_oss", "Seed-OSS", seed_oss_spec},
    {"NemotronForCausalLM", "nemotron", "Nemotron 4, Minitron", nemotron_spec},
    {"MixtralForCausalLM", "mixtral", "Mixtral 8x7B, 8x22B", mixtral_spec},
    {"Qwen2MoeForCausalLM", "qwen2_moe", "Qwen 1.5 MoE, Qwen 2 57B-A14B", qwen2_moe_spec},
    {"Qwen3MoeForCausalLM", "qwen3_moe", "Qwen 3 30B-A3B, 235B-A22B", qwen3_moe_spec},
    {"GraniteMoeForCausalLM", "granitemoe", "Granite 3 1B-A400M, 3B-A800M", granite_moe_spec},
    {"GraniteMoeSharedForCausalLM", "granitemoeshared", "Granite 4 previews", granite_moe_shared_spec},
    {"GraniteMoeHybridForCausalLM", "granitemoehybrid", "Granite 4", granite_hybrid_spec},
    {"OlmoeForCausalLM", "olmoe", "OLMoE", olmoe_spec},
    {"GptOssForCausalLM", "gpt_oss", "gpt-oss 20B, 120B", gpt_oss_spec},
    {"DeepseekV2ForCausalLM", "deepseek_v2", "DeepSeek V2, V2 Lite", deepseek_v2_spec},
    {"DeepseekV3ForCausalLM", "deepseek_v3", "DeepSeek V3, R1, Moonlight", deepseek_v3_spec},
    {"GPT2LMHeadModel", "gpt2", "GPT-2, DistilGPT2", gpt2_spec},
    {"GPTNeoXForCausalLM", "gpt_neox", "Pythia, GPT-NeoX 20B, Dolly 2", gpt_neox_spec},
});

[[noreturn]] void refuse(const std::string& found, const std::string& model_type) {
  std::vector<std::string> known;
  std::vector<std::string> types;
  for (const Family& f : families) {
    known.emplace_back(f.architecture);
    types.emplace_back(f.model_type);
  }
  const std::string hint = nearest_hint(model_type, types);
  throw Error(Status::unsupported,
              fmt::format("config.json: the architecture '{}' (model_type '{}') is not one that libilt knows{}; it "
                          "knows: {}",
                          found, model_type, hint, fmt::join(known, ", ")),
              {{"key", "architectures"}, {"got", found}, {"known", known}});
}

void refuse_quantised(const ConfigReader& config) {
  if (!config.has("quantization_config")) return;
  const std::string method = config.object("quantization_config").text_or("quant_method", "unknown");
  throw Error(
      Status::unsupported,
      fmt::format("config.json: quantization_config says that the weights are quantised ('{}'); libilt reads "
                  "F32, BF16, F16, F64 and mxfp4: train from the unquantised checkpoint, or dequantise it first",
                  method),
      {{"key", "quantization_config"}, {"got", method}});
}

}  // namespace

std::span<const Family> known_families() {
  return families;
}

DecoderSpec read_spec(const Json& config) {
  const ConfigReader reader(config);
  const std::string model_type = reader.text_or("model_type", "");
  std::string architecture;
  if (reader.has("architectures") && reader.at("architectures").is_array() && !reader.at("architectures").empty() &&
      reader.at("architectures")[0].is_string())
    architecture = reader.at("architectures")[0].get<std::string>();
  for (const Family& f : families) {
    if (architecture.empty() ? model_type == f.model_type : architecture == f.architecture) {
      refuse_quantised(reader);
      DecoderSpec spec = f.read(reader);
      spec.architecture = f.architecture;
      return spec;
    }
  }
  refuse(architecture, model_type);
}

}  // namespace ilt
