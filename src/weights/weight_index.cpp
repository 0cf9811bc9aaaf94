// Reading model.safetensors.index.json, which is as untrusted as the weights.
#include "weights/weight_index.h"

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "weights/safetensors_fault.h"

namespace ilt {
namespace {

[[noreturn]] void fail_index(const fs::path& file, const std::string& found, const std::string& expected) {
  throw Error(
      Status::format,
      fmt::format("{}: found {}, expected {}; the index is damaged: download it again", file.string(), found, expected),
      {{"file", file.string()}, {"got", found}, {"expected", expected}});
}

// A plain file name: no folder, no way up. Backslashes separate folders elsewhere.
bool is_file_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find_first_of(std::string_view("/\\\0", 3)) == name.npos;
}

Json parse(const fs::path& file) {
  try {
    return parse_json_text(read_file(file));
  } catch (const JsonFault& fault) {
    fail_index(file, fmt::format("a fault ({})", shortened(fault.reason)), "valid JSON");
  }
}

}  // namespace

std::map<std::string, std::string> read_weight_index(const fs::path& file) {
  const Json index = parse(file);
  const auto map = index.find("weight_map");  // end() where index is no object
  if (map == index.end() || !map->is_object()) fail_index(file, "no weight_map", "an object 'weight_map'");
  if (map->empty()) fail_index(file, "an empty weight_map", "the tensors and their files");
  std::map<std::string, std::string> shards;
  for (const auto& [tensor, shard] : map->items()) {
    if (!shard.is_string()) fail_index(file, fmt::format("no string for {}", shown_name(tensor)), "a file name");
    if (!is_file_name(shard.get_ref<const std::string&>()))
      fail_index(file,
                 fmt::format("the file {} for {}", shown_name(shard.get_ref<const std::string&>()), shown_name(tensor)),
                 "a file name in the same folder");
    shards[tensor] = shard.get<std::string>();
  }
  return shards;
}

}  // namespace ilt
