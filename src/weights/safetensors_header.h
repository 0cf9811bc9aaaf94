// The header of a safetensors file: parsed from untrusted bytes and checked against the data behind it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "weights/safetensors.h"

namespace ilt {

struct SafetensorsContent {
  std::map<std::string, TensorView> tensors;  // views into the bytes given
  std::map<std::string, std::string> metadata;
};

// `file` is the whole file. Throws format, naming `path`, the tensor, what was found, what was expected and what to do.
SafetensorsContent read_safetensors(std::span<const std::byte> file, const std::filesystem::path& path);

}  // namespace ilt
