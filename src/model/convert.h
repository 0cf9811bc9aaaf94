// A stored model written in another format.
#pragma once

#include <filesystem>
#include <string>

namespace ilt {

struct ConvertOptions {
  std::string format;  // "gguf", "hf"
  std::string
      dtype;  // float32, bfloat16, float16, q8_0; empty: that of the model's matrices, bfloat16 of quantised ones
};

// Throws what opening the model, export_gguf and export_model throw.
void convert_model(const std::filesystem::path& model, const std::filesystem::path& destination,
                   const ConvertOptions& options);

}  // namespace ilt
