// Writing a Hugging Face model folder that appears whole or not at all.
#include <algorithm>

#include "base/error.h"
#include "weights/companions.h"
#include "weights/convert.h"
#include "weights/export.h"
#include "weights/finite.h"

namespace ilt {
namespace {

using Shard = std::vector<const ExportTensor*>;

constexpr const char* config_file = "config.json";
constexpr std::size_t piece = 1 << 20;  // values converted at a time

std::uint64_t bytes_needed(const std::vector<ExportTensor>& tensors, const FileSet& files) {
  std::uint64_t total = 1 << 20;  // headers, config, the file system's own
  for (const ExportTensor& t : tensors) total += t.info.num_bytes() + t.name.size() + 200;
  for (const std::string& name : companion_files(files)) total += files.size(name);
  return total;
}

// Tensors in order, a new shard where the next one would not fit.
std::vector<Shard> split_shards(const std::vector<ExportTensor>& tensors, std::uint64_t max_bytes) {
  std::vector<Shard> shards(1);
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

void write_tensor(SafetensorsWriter& writer, const ExportTensor& tensor) {
  const std::span<const float> values = tensor.values();
  if (values.size() != static_cast<std::size_t>(tensor.info.numel()))
    fail(Status::internal, "export of '{}': {} values for {}", tensor.name, values.size(), tensor.info.numel());
  std::vector<std::byte> converted;
  for (std::size_t done = 0; done < values.size(); done += piece) {
    const auto part = values.subspan(done, std::min(piece, values.size() - done));
    require_finite(tensor.name, dtype_name(tensor.info.dtype), overflow_of(tensor.info.dtype), part, done);
    converted.resize(part.size() * dtype_size(tensor.info.dtype));
    from_float(part, tensor.info.dtype, converted);
    writer.write(converted);
  }
}

void write_shard(const fs::path& path, const Shard& tensors) {
  std::vector<SafetensorsWriter::Entry> entries;
  entries.reserve(tensors.size());
  for (const ExportTensor* t : tensors) entries.push_back({t->name, t->info});
  SafetensorsWriter writer(path, std::move(entries));
  for (const ExportTensor* t : tensors) write_tensor(writer, *t);
  writer.finish();
}

void write_weights(const fs::path& folder, const std::vector<ExportTensor>& tensors, std::uint64_t max_bytes) {
  const std::vector<Shard> shards = split_shards(tensors, max_bytes);
  if (shards.size() == 1) return write_shard(folder / "model.safetensors", shards[0]);
  nlohmann::json map =
      nlohmann::json::object();  // sorted: finding a key in an ordered one takes time linear in its size
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const std::string name = fmt::format("model-{:05}-of-{:05}.safetensors", i + 1, shards.size());
    write_shard(folder / name, shards[i]);
    for (const ExportTensor* t : shards[i]) {
      if (!map.emplace(t->name, name).second) fail(Status::internal, "the tensor '{}' is exported twice", t->name);
      total += t->info.num_bytes();
    }
  }
  const nlohmann::json index = {{"metadata", {{"total_size", total}}}, {"weight_map", std::move(map)}};
  write_file(folder / "model.safetensors.index.json", index.dump(2) + "\n");
}

// config.json is copied byte for byte where nothing changes in it.
void write_config(const FileSet& source, const fs::path& folder, const Json& changes) {
  std::string text = source.read(config_file);
  if (!changes.empty()) {
    Json config = parse_json(text, source.place(config_file));
    config.update(changes);
    text = config.dump(2) + "\n";
  }
  write_file(folder / config_file, text);
}

}  // namespace

Json dtype_changes(const Json& config, const std::string& save_dtype) {
  Json changes = Json::object();
  if (save_dtype.empty()) return changes;
  changes["dtype"] = save_dtype;
  if (config.contains("torch_dtype")) changes["torch_dtype"] = save_dtype;
  return changes;
}

void check_export(const FileSet& source, const std::filesystem::path& folder,
                  const std::vector<ExportTensor>& tensors) {
  source.size(config_file);  // can be read
  require_free_space(folder, bytes_needed(tensors, source));
  remove_abandoned_staging(folder);
}

void export_model(const FileSet& source, const std::filesystem::path& destination,
                  const std::vector<ExportTensor>& tensors, const Json& config_changes, std::uint64_t max_shard_bytes) {
  require_free_space(destination, bytes_needed(tensors, source));
  StagedFolder staged(destination, config_file);
  write_config(source, staged.path(), config_changes);
  for (const std::string& name : companion_files(source)) write_file(staged.path() / name, source.read(name));
  write_weights(staged.path(), tensors, max_shard_bytes);
  staged.publish();
}

}  // namespace ilt
