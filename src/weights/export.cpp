// Writing a Hugging Face model folder that appears whole or not at all.
#include <array>
#include <cmath>

#include "base/error.h"
#include "weights/convert.h"
#include "weights/model_folder.h"

namespace ilt {

namespace {

// Companion files are small; weights in other formats would no longer belong to the model.
constexpr std::array not_copied = {".safetensors", ".bin", ".gguf", ".pth", ".pt", ".h5", ".msgpack", ".onnx"};
constexpr std::uintmax_t largest_companion = 256 << 20;

bool is_companion(const fs::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  if (!entry.is_regular_file() || name.front() == '.' || name == "config.json" || name.ends_with(".index.json"))
    return false;
  const std::string extension = entry.path().extension().string();
  for (const char* other : not_copied)
    if (extension == other) return false;
  return entry.file_size() <= largest_companion;
}

std::vector<fs::path> companions(const fs::path& source) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(source))
    if (is_companion(entry)) files.push_back(entry.path());
  return files;
}

std::uint64_t bytes_needed(const std::vector<ExportTensor>& tensors, const std::vector<fs::path>& files) {
  std::uint64_t total = 1 << 20;  // headers, config, the file system's own
  for (const ExportTensor& t : tensors) total += t.info.num_bytes();
  for (const fs::path& f : files) total += fs::file_size(f);
  return total;
}

// Tensors in order, a new shard where the next one would not fit.
std::vector<std::vector<const ExportTensor*>> split_shards(const std::vector<ExportTensor>& tensors,
                                                           std::uint64_t max_bytes) {
  std::vector<std::vector<const ExportTensor*>> shards(1);
  std::uint64_t size = 0;
  for (const ExportTensor& t : tensors) {
    if (size + t.info.num_bytes() > max_bytes && !shards.back().empty()) {
      shards.emplace_back();
      size = 0;
    }
    shards.back().push_back(&t);
    size += t.info.num_bytes();
  }
  return shards;
}

void require_finite(const ExportTensor& tensor, std::span<const float> values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      throw Error(Status::numeric,
                  fmt::format("'{}' holds a value that is not finite ({}, at {}): such a model is not saved; go back to "
                              "an earlier checkpoint",
                              tensor.name, values[i], i),
                  {{"tensor", tensor.name}, {"index", i}});
}

void write_shard(const fs::path& path, const std::vector<const ExportTensor*>& tensors) {
  std::vector<SafetensorsWriter::Entry> entries;
  for (const ExportTensor* t : tensors) entries.push_back({t->name, t->info});
  SafetensorsWriter writer(path, std::move(entries));
  std::vector<std::byte> converted;
  for (const ExportTensor* t : tensors) {
    const std::span<const float> values = t->values();
    require_finite(*t, values);
    converted.resize(t->info.num_bytes());
    from_float(values, t->info.dtype, converted);
    writer.write(converted);
  }
  writer.finish();
}

void write_weights(const fs::path& folder, const std::vector<ExportTensor>& tensors, std::uint64_t max_bytes) {
  const auto shards = split_shards(tensors, max_bytes);
  if (shards.size() == 1) return write_shard(folder / "model.safetensors", shards[0]);
  Json map = Json::object();
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const std::string name = fmt::format("model-{:05}-of-{:05}.safetensors", i + 1, shards.size());
    write_shard(folder / name, shards[i]);
    for (const ExportTensor* t : shards[i]) {
      map[t->name] = name;
      total += t->info.num_bytes();
    }
  }
  const Json index = {{"metadata", {{"total_size", total}}}, {"weight_map", map}};
  write_file(folder / "model.safetensors.index.json", index.dump(2) + "\n");
}

// config.json is copied byte for byte where nothing changes in it.
void write_config(const fs::path& source, const fs::path& folder, const Json& changes) {
  std::string text = read_file(source / "config.json");
  if (!changes.empty()) {
    Json config = parse_json(text, (source / "config.json").string());
    config.update(changes);
    text = config.dump(2) + "\n";
  }
  write_file(folder / "config.json", text);
}

}  // namespace

void export_model(const std::filesystem::path& source, const std::filesystem::path& destination,
                  const std::vector<ExportTensor>& tensors, const Json& config_changes,
                  std::uint64_t max_shard_bytes) {
  const std::vector<fs::path> files = companions(source);
  require_free_space(destination, bytes_needed(tensors, files));
  StagedFolder staged(destination);
  write_config(source, staged.path(), config_changes);
  for (const fs::path& f : files) write_file(staged.path() / f.filename(), read_file(f));
  write_weights(staged.path(), tensors, max_shard_bytes);
  staged.publish();
}

}  // namespace ilt
