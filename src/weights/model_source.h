// A model as it is stored, whatever the format: its config.json, its weights under Hugging Face's names, its files.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/file_set.h"
#include "base/json.h"
#include "weights/safetensors.h"

namespace ilt {

struct SourceTensor {
  TensorInfo info;  // the type is the one that an export writes
  // Gives the values as fp32; throws unsupported for element types that are none. `out` has numel() values.
  std::function<void(std::span<float> out)> read;
};

class ModelSource {
 public:
  ModelSource(std::filesystem::path path, std::shared_ptr<const FileSet> files, Json config,
              std::map<std::string, SourceTensor> tensors)
      : path_(std::move(path)), files_(std::move(files)), config_(std::move(config)), tensors_(std::move(tensors)) {}

  const std::filesystem::path& path() const noexcept { return path_; }
  // As a Hugging Face folder has them: config.json, tokenizer.json, generation_config.json, ...
  const FileSet& files() const noexcept { return *files_; }
  const std::shared_ptr<const FileSet>& shared_files() const noexcept { return files_; }
  const Json& config() const noexcept { return config_; }
  const std::map<std::string, SourceTensor>& tensors() const noexcept { return tensors_; }

 private:
  std::filesystem::path path_;
  std::shared_ptr<const FileSet> files_;
  Json config_;
  std::map<std::string, SourceTensor> tensors_;
};

// Opens the model at `path`, by what is there. Throws not_found, format or unsupported.
ModelSource open_model(const std::filesystem::path& path);

// Its files alone: what a tokenizer and a chat template are read from.
std::shared_ptr<const FileSet> open_model_files(const std::filesystem::path& path);

}  // namespace ilt
