// Which files of a model folder an export copies.
#include "weights/companions.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/error.h"
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

// What the exported model does not work without, or not as it did.
bool is_needed(std::string_view name) {
  return is_tokenizer(name) || name.ends_with(".json") || name.ends_with(".jinja") || name.ends_with(".model");
}

// A run whose output folder is the model's own folder leaves its metrics there.
bool is_of_a_run(std::string_view name) {
  return name.starts_with("training_params_and_metrics");
}

bool is_companion(const FileSet& files, const std::string& name) {
  if (name.starts_with('.') || name == "config.json" || is_weights(name) || is_of_a_run(name)) return false;
  if (!is_needed(name) && !files.is_plain(name)) {
    log::info("weights", "{} is not copied to the exported model: not a plain file", files.place(name));
    return false;
  }
  try {
    if (files.size(name) <= largest || is_tokenizer(name)) return true;
    log::warn("weights", "{} is not copied to the exported model: larger than {} MB", files.place(name),
              largest / 1'000'000);
  } catch (const Error& error) {
    if (is_needed(name)) throw;
    log::warn("weights", "{} is not copied to the exported model: {}", files.place(name), error.what());
  }
  return false;
}

}  // namespace

std::vector<std::string> companion_files(const FileSet& files) {
  std::vector<std::string> names = files.names();
  std::erase_if(names, [&](const std::string& name) { return !is_companion(files, name); });
  return names;
}

}  // namespace ilt
