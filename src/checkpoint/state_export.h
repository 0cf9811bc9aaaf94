// A full state as a model for others, without building the model or going on with the run.
#pragma once

#include <filesystem>
#include <string>

namespace ilt {

struct StateExportOptions {
  std::string model_path;  // of the run's model: config, tokenizer, types; empty: where the run found it
  std::string save_dtype;  // empty: as the model's files
};

// Writes the weights of the full state in Hugging Face's format to `destination`, which appears whole or not at all.
// The state is verified first. Throws what reading it throws, not_found where the model is gone, format where the
// weights are not that model's, and what export_model throws.
void export_state(const std::filesystem::path& state, const std::filesystem::path& destination,
                  const StateExportOptions& options);

}  // namespace ilt
