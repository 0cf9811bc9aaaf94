// The index of sharded weights: which file of the folder holds which tensor.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace ilt {

// Tensor name -> shard's file name, of a model.safetensors.index.json. Throws format, also where a shard's name leads
// out of the folder.
std::map<std::string, std::string> read_weight_index(const std::filesystem::path& file);

}  // namespace ilt
