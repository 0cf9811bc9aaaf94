// Which files of a model folder an export copies.
#include "weights/companions.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"

namespace ilt {
namespace {

constexpr std::uintmax_t largest = 64'000'000;
// Weights in other formats would no longer belong to the model.
constexpr std::array<std::string_view, 9> weights = {".safetensors", ".bin",  ".gguf",    ".pth", ".pt",
                                                     ".h5",          ".ckpt", ".msgpack", ".onnx"};
constexpr std::array<std::string_view, 5> tokenizer = {"tokenizer", "vocab", "merges", "spiece", "sentencepiece"};

bool is_weights(std::string_view name) {
  return name.ends_with(".index.json") ||
         std::any_of(weights.begin(), weights.end(), [&](std::string_view w) { return name.ends_with(w); });
}

bool is_tokenizer(std::string_view name) {
  return std::any_of(tokenizer.begin(), tokenizer.end(), [&](std::string_view t) { return name.starts_with(t); });
}

bool is_companion(const fs::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  if (name.starts_with('.') || name == "config.json" || is_weights(name)) return false;
  if (!entry.is_regular_file()) {
    log::info("weights", "{} is not copied to the exported model: not a plain file", entry.path().string());
    return false;
  }
  if (entry.file_size() > largest && !is_tokenizer(name)) {
    log::warn("weights", "{} is not copied to the exported model: larger than {} MB", entry.path().string(),
              largest / 1'000'000);
    return false;
  }
  return true;
}

}  // namespace

std::vector<fs::path> companion_files(const fs::path& folder) {
  std::vector<fs::path> files;
  try {
    for (const auto& entry : fs::directory_iterator(folder))
      if (is_companion(entry)) files.push_back(entry.path());
  } catch (const fs::filesystem_error& e) {
    throw Error(fs::exists(folder) ? Status::io : Status::not_found,
                fmt::format("cannot read the model folder '{}': {}", folder.string(), e.code().message()),
                {{"file", folder.string()}});
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace ilt
