// Opening a Hugging Face model folder: its config and the safetensors files that hold its weights.
#include "weights/model_folder.h"

#include <algorithm>
#include <set>
#include <system_error>

#include "base/error.h"
#include "base/log.h"
#include "base/replaced_file.h"
#include "weights/convert.h"
#include "weights/mxfp4.h"
#include "weights/weight_index.h"

namespace ilt {
namespace {

constexpr const char* single_file = "model.safetensors";
constexpr const char* index_file = "model.safetensors.index.json";

[[noreturn]] void fail_path(Status status, const fs::path& path, const std::string& why) {
  throw Error(status, fmt::format("model folder {}: {}", path.string(), why),
              {{"key", "model_path"}, {"file", path.string()}});
}

// "org/name", as models are called on the Hub.
bool is_hub_name(const fs::path& path) {
  const std::string text = path.string();
  return std::count(text.begin(), text.end(), '/') == 1 && !text.starts_with('/') && !text.starts_with('.') &&
         !text.ends_with('/');
}

void require_folder(const fs::path& path) {
  if (is_folder(path)) return;
  if (file_exists(path))
    fail_path(Status::not_found, path,
              "is a file; give the folder that holds config.json and the weights, or a GGUF file");
  if (is_hub_name(path))
    fail_path(Status::not_found, path,
              fmt::format("does not exist; if the model '{}' on the Hugging Face Hub is meant, download it first "
                          "(`hf download {} --local-dir FOLDER`) and give its folder",
                          path.string(), path.string()));
  fail_path(Status::not_found, path, "does not exist; give the folder that holds config.json and the weights");
}

std::vector<std::string> file_names(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::path& entry : folder_entries(folder)) names.push_back(entry.filename().string());
  return names;
}

Json read_config(const fs::path& folder) {
  const fs::path file = folder / "config.json";
  if (file_exists(folder / "adapter_config.json") && !file_exists(file))
    fail_path(Status::unsupported, folder, "holds an adapter alone; merge it into its base model first");
  if (!file_exists(file)) fail_path(Status::not_found, folder, "no config.json; is this a Hugging Face model folder?");
  Json config = parse_json(read_file(file), file.string());
  if (!config.is_object())
    throw Error(Status::format, fmt::format("{}: found {}, expected a JSON object", file.string(), config.type_name()),
                {{"file", file.string()}});
  return config;
}

[[noreturn]] void fail_no_weights(const fs::path& folder) {
  for (const std::string& name : file_names(folder)) {
    if (name.ends_with(".gguf"))
      fail_path(Status::unsupported, folder,
                fmt::format("no {}, but {}: give that file itself, or download the original safetensors weights",
                            single_file, name));
    for (const char* other : {".bin", ".pth", ".pt", ".h5", ".msgpack"})
      if (name.ends_with(other) && name != "training_args.bin")
        fail_path(Status::unsupported, folder,
                  fmt::format("no {}; {} is of a kind that libilt does not read: convert it to safetensors (load it in "
                              "transformers and call save_pretrained)",
                              single_file, name));
  }
  fail_path(Status::not_found, folder,
            fmt::format("neither {} nor {}; the download is incomplete", single_file, index_file));
}

void log_unused_files(const fs::path& folder, const std::set<std::string>& used) {
  for (const std::string& name : file_names(folder))
    if (name.ends_with(".safetensors") && !used.contains(name))
      log::info("weights", "{} is in {} but belongs to nothing there: not read", name, folder.string());
}

// The file stays mapped as long as one of its tensors is held.
struct MappedTensor {
  std::shared_ptr<const SafetensorsFile> file;
  TensorView view;
};
using Tensors = std::map<std::string, MappedTensor>;

void add_tensors(const std::shared_ptr<const SafetensorsFile>& file, Tensors& tensors) {
  for (const auto& [name, view] : file->tensors()) tensors[name] = {file, view};
}

// Maps the shards that the index names; every tensor must be where the index says, and nowhere else.
void read_shards(const fs::path& folder, Tensors& tensors) {
  const std::map<std::string, std::string> shards = read_weight_index(folder / index_file);
  std::set<std::string> names;
  for (const auto& [tensor, shard] : shards) names.insert(shard);
  for (const std::string& name : names)
    if (!file_exists(folder / name))
      fail_path(Status::not_found, folder,
                fmt::format("the shard {} that {} names is missing: download it again", name, index_file));
  for (const std::string& name : names) {
    const auto file = std::make_shared<const SafetensorsFile>(folder / name);
    for (const auto& [tensor, view] : file->tensors()) {
      const auto it = shards.find(tensor);
      if (it == shards.end() || it->second != name)
        fail_path(
            Status::format, folder,
            fmt::format("{} holds '{}', but {} {}; index and shards are of different models: download them again", name,
                        tensor, index_file, it == shards.end() ? "does not name it" : "places it in " + it->second));
    }
    add_tensors(file, tensors);
  }
  for (const auto& [tensor, shard] : shards)
    if (!tensors.contains(tensor))
      fail_path(Status::format, folder,
                fmt::format("'{}' is missing from {}, where {} places it: download the shard again", tensor, shard,
                            index_file));
  log_unused_files(folder, names);
}

SourceTensor plain(const MappedTensor& tensor) {
  return {tensor.view.info, [tensor](std::span<float> out) { to_float(tensor.view, out); }};
}

SourceTensor mxfp4(const std::string& name, const MappedTensor& blocks, const MappedTensor& scales) {
  return {mxfp4_info(name, blocks.view.info, scales.view.info),
          [blocks, scales](std::span<float> out) { read_mxfp4(blocks.view, scales.view, out); }};
}

std::map<std::string, SourceTensor> to_source(const Tensors& tensors, bool quantised) {
  std::map<std::string, SourceTensor> source;
  for (const auto& [name, tensor] : tensors) {
    if (quantised && name.ends_with(mxfp4_scales)) continue;  // with its blocks
    if (!quantised || !name.ends_with(mxfp4_blocks)) {
      source[name] = plain(tensor);
      continue;
    }
    const std::string stem = name.substr(0, name.size() - mxfp4_blocks.size());
    const auto scales = tensors.find(stem + std::string(mxfp4_scales));
    if (scales == tensors.end())
      throw Error(Status::format, fmt::format("the weights hold '{}' without its {}", name, mxfp4_scales),
                  {{"tensor", name}});
    source[stem] = mxfp4(stem, tensor, scales->second);
  }
  return source;
}

}  // namespace

ModelSource open_model_folder(const std::filesystem::path& path) {
  require_folder(path);
  Json config = read_config(path);
  Tensors tensors;
  if (file_exists(path / single_file)) {
    add_tensors(std::make_shared<const SafetensorsFile>(path / single_file), tensors);
    log_unused_files(path, {single_file});
  } else if (file_exists(path / index_file)) {
    read_shards(path, tensors);
  } else {
    fail_no_weights(path);
  }
  const auto files = std::make_shared<FolderFiles>(path);
  if (!is_mxfp4(config)) return {path, files, std::move(config), to_source(tensors, false)};
  // Trained weights are written as they are computed: no longer quantised.
  config.erase("quantization_config");
  log::info("weights", "{}: the MXFP4 weights are dequantised, and are saved as bfloat16", path.string());
  const auto changed = std::make_shared<ReplacedFile>(files, "config.json", config.dump(2) + "\n");
  return {path, changed, std::move(config), to_source(tensors, true)};
}

}  // namespace ilt
