// Writing a Hugging Face model folder.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/file_set.h"
#include "base/json.h"
#include "weights/safetensors.h"

namespace ilt {

// What export_model writes of one tensor: its stored name and type, and a function that gives its fp32 values
// (called once, when its turn comes).
struct ExportTensor {
  std::string name;
  TensorInfo info;  // F32, BF16 or F16
  std::function<std::span<const float>()> values;
};

// What config.json must say differently where the weights are exported in another type; empty for "".
Json dtype_changes(const Json& config, const std::string& save_dtype);

// What can be told before a run whether its exports to folders in `folder`, which exists, will work: companion files
// can be read, and there is room for one. Removes what killed runs have left there.
void check_export(const FileSet& source, const std::filesystem::path& folder, const std::vector<ExportTensor>& tensors);

// Writes `destination` as a Hugging Face folder: config.json (with `config_changes` applied) and the weights in shards
// of at most max_shard_bytes with their index, every other small file of `source` (tokenizer, template, generation
// config, licence) byte for byte. Staged beside, fsynced, renamed: it appears whole or not at all. Free space is
// checked first; a folder of that name is replaced if it is empty or holds a config.json; a non-finite weight is
// refused (numeric).
void export_model(const FileSet& source, const std::filesystem::path& destination,
                  const std::vector<ExportTensor>& tensors, const Json& config_changes,
                  std::uint64_t max_shard_bytes = 5'000'000'000);

}  // namespace ilt
