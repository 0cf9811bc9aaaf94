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

struct Family {
  const char* architecture;
  const char* model_type;
  DecoderSpec (*read)(const Json& config);
};

constexpr std::array families = {Family{"LlamaForCausalLM", "llama", llama_spec}};

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
  throw Error(Status::unsupported,
              fmt::format("config.json: quantization_config says that the weights are quantised ('{}'); libilt reads "
                          "F32, BF16, F16 and F64: train from the unquantised checkpoint, or dequantise it first",
                          method),
              {{"key", "quantization_config"}, {"got", method}});
}

}  // namespace

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
      DecoderSpec spec = f.read(config);
      spec.architecture = f.architecture;
      return spec;
    }
  }
  refuse(architecture, model_type);
}

}  // namespace ilt
