// Opening a Hugging Face model folder: its config and the safetensors files that hold its weights.
#include "weights/model_folder.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/log.h"

namespace ilt {

namespace {

constexpr const char* single_file = "model.safetensors";
constexpr const char* index_file = "model.safetensors.index.json";

void require_folder(const fs::path& path) {
  if (fs::is_directory(path)) return;
  const std::string text = path.string();
  const bool hub_name = std::count(text.begin(), text.end(), '/') == 1 && text.front() != '/' && text.front() != '.';
  const std::string hint = hub_name ? "; libilt reads local folders: download the model first and give its folder"
                                    : "; give the folder that holds config.json and the weights";
  throw Error(Status::not_found,
              fs::exists(path) ? fmt::format("model folder {} is a file{}", text, hint)
                               : fmt::format("model folder {} does not exist{}", text, hint),
              {{"key", "model_path"}, {"file", text}});
}

[[noreturn]] void fail_no_weights(const fs::path& path) {
  std::string found;
  for (const auto& entry : fs::directory_iterator(path)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".bin" || extension == ".gguf" || extension == ".pth" || extension == ".h5")
      found = entry.path().filename().string();
  }
  const std::string hint =
      found.empty() ? "" : fmt::format(" ({} is of a kind that libilt does not read: convert it to safetensors)", found);
  throw Error(Status::not_found, fmt::format("{}: neither {} nor {}{}", path.string(), single_file, index_file, hint),
              {{"file", path.string()}});
}

// The index's shard names, each a plain file name inside the folder.
std::map<std::string, std::string> read_index(const fs::path& file) {
  const Json index = parse_json(read_file(file), file.string());
  if (!index.is_object() || !index.contains("weight_map") || !index["weight_map"].is_object())
    fail(Status::format, "{}: no object 'weight_map'", file.string());
  std::map<std::string, std::string> shards;
  for (const auto& [tensor, shard] : index["weight_map"].items()) {
    if (!shard.is_string()) fail(Status::format, "{}: the shard of '{}' is no string", file.string(), tensor);
    const auto name = shard.get<std::string>();
    if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos)
      fail(Status::format, "{}: the shard of '{}' is '{}', expected a file name in the same folder", file.string(),
           tensor, name);
    shards[tensor] = name;
  }
  return shards;
}

void log_unused_files(const fs::path& path, const std::set<std::string>& used) {
  for (const auto& entry : fs::directory_iterator(path)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() == ".safetensors" && !used.contains(name))
      log::info("weights", "{} is in {} but belongs to nothing there: not read", name, path.string());
  }
}

}  // namespace

ModelFolder::ModelFolder(const std::filesystem::path& path) : path_(path) {
  require_folder(path);
  const fs::path config = path / "config.json";
  if (!fs::exists(config))
    throw Error(Status::not_found, fmt::format("{}: no config.json; is this a Hugging Face model folder?", path.string()),
                {{"file", config.string()}});
  config_ = parse_json(read_file(config), config.string());
  if (!config_.is_object()) fail(Status::format, "{}: no JSON object", config.string());

  std::map<std::string, std::string> shards;
  if (fs::exists(path / single_file)) {
    files_.emplace_back(path / single_file);
    tensors_ = files_.back().tensors();
    log_unused_files(path, {single_file});
    return;
  }
  if (!fs::exists(path / index_file)) fail_no_weights(path);
  shards = read_index(path / index_file);
  std::set<std::string> names;
  for (const auto& [tensor, shard] : shards) names.insert(shard);
  for (const std::string& name : names)
    if (!fs::exists(path / name))
      throw Error(Status::not_found,
                  fmt::format("{}: the shard {} that {} names is missing; download it again", path.string(), name,
                              index_file),
                  {{"file", (path / name).string()}});
  for (const std::string& name : names) {
    files_.emplace_back(path / name);
    for (const auto& [tensor, view] : files_.back().tensors()) {
      const auto it = shards.find(tensor);
      if (it == shards.end() || it->second != name)
        fail(Status::format, "{}: holds '{}', which {} does not place there", (path / name).string(), tensor, index_file);
      tensors_[tensor] = view;
    }
  }
  for (const auto& [tensor, shard] : shards)
    if (!tensors_.contains(tensor))
      fail(Status::format, "{}: '{}' is missing, though {} places it there", (path / shard).string(), tensor, index_file);
  log_unused_files(path, names);
}

}  // namespace ilt
