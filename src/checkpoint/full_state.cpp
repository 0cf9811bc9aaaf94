// Weights, optimizer and run state as files.
#include "checkpoint/full_state.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "checkpoint/manifest.h"
#include "weights/safetensors.h"

namespace ilt {
namespace {

constexpr const char* state_file = "state.json";
constexpr const char* kind = "ilt.full_state";
constexpr int version = 2;

using Tensors = std::vector<NamedTensor>;

std::uint64_t bytes_of(const Tensors& tensors) {
  std::uint64_t total = 0;
  for (const NamedTensor& t : tensors) total += t.value.nbytes() + t.name.size() + 200;
  return total;
}

constexpr std::size_t piece = 1 << 20;  // bytes at a time: they stay in the cache from the check to the disk

// An exponent with all its bits set, and one more, carries into the sign's place. As many values at a time as the
// compiler makes one instruction of: this reads all of a state from memory, and the run wants the processor.
bool all_finite(std::span<const float> values) {
  const auto carry = [](float value) { return (std::bit_cast<std::uint32_t>(value) & 0x7f800000u) + 0x00800000u; };
  std::array<std::uint32_t, 16> carries{};
  std::size_t i = 0;
  for (; i + carries.size() <= values.size(); i += carries.size())
    for (std::size_t k = 0; k < carries.size(); ++k) carries[k] |= carry(values[i + k]);
  for (; i < values.size(); ++i) carries[0] |= carry(values[i]);
  return std::ranges::none_of(carries, [](std::uint32_t each) { return each >> 31 != 0; });
}

void require_finite(const std::string& name, std::span<const float> values) {
  if (all_finite(values)) return;
  throw Error(Status::numeric,
              fmt::format("'{}' holds a value that is not finite, so the state is not saved; go back to an earlier "
                          "checkpoint, with a lower learning rate",
                          name),
              {{"tensor", name}});
}

DType dtype_of(const at::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kFloat:
      return DType::f32;
    case at::kByte:
      return DType::u8;
    default:
      fail(Status::internal, "a full state has no place for tensors of type {}", at::toString(tensor.scalar_type()));
  }
}

void write_tensor(SafetensorsWriter& writer, const NamedTensor& t) {
  const at::Tensor host = t.value.contiguous().to(at::kCPU);
  const std::span bytes(static_cast<const std::byte*>(host.const_data_ptr()), host.nbytes());
  for (std::size_t begin = 0; begin < bytes.size(); begin += piece) {
    const auto part = bytes.subspan(begin, std::min(piece, bytes.size() - begin));
    if (host.scalar_type() == at::kFloat)
      require_finite(t.name, {reinterpret_cast<const float*>(part.data()), part.size() / sizeof(float)});
    writer.write(part);
  }
}

ManifestFile write_tensors(const fs::path& path, const Tensors& tensors) {
  std::vector<SafetensorsWriter::Entry> entries;
  for (const NamedTensor& t : tensors) entries.push_back({t.name, {dtype_of(t.value), t.value.sizes().vec()}});
  SafetensorsWriter writer(path, std::move(entries));
  for (const NamedTensor& t : tensors) write_tensor(writer, t);
  writer.finish();
  return {writer.size(), writer.fingerprint()};
}

// Throws unless the file holds just these tensors.
void check_tensors(const SafetensorsFile& file, const fs::path& path, const Tensors& into) {
  const auto& found = file.tensors();
  for (const NamedTensor& t : into) {
    const auto it = found.find(t.name);
    if (it == found.end()) {
      throw Error(Status::format, fmt::format("{} has no tensor '{}', which this run has", path.string(), t.name),
                  {{"file", path.string()}, {"tensor", t.name}});
    }
    const TensorInfo& info = it->second.info;
    const DType dtype = dtype_of(t.value);
    if (info.dtype != dtype || info.shape != t.value.sizes().vec()) {
      throw Error(Status::format,
                  fmt::format("{}: '{}' is {} {}, expected {} {}", path.string(), t.name, dtype_name(info.dtype),
                              Json(info.shape).dump(), dtype_name(dtype), Json(t.value.sizes().vec()).dump()),
                  {{"file", path.string()}, {"tensor", t.name}});
    }
  }
  if (found.size() != into.size()) {
    fail(Status::format, "{} holds {} tensors, this run has {}", path.string(), found.size(), into.size());
  }
}

void copy_tensors(const SafetensorsFile& file, const Tensors& into) {
  for (const NamedTensor& t : into) {
    const std::span<const std::byte> bytes = file.tensors().at(t.name).bytes;
    at::Tensor host = at::empty(t.value.sizes(), t.value.options().device(at::kCPU));
    std::memcpy(host.mutable_data_ptr(), bytes.data(), bytes.size());
    at::Tensor(t.value).copy_(host);
  }
}

}  // namespace

void save_full_state(const fs::path& folder, const FullState& state) {
  const std::string text = state.run.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  require_free_space(folder, bytes_of(state.weights) + bytes_of(state.optimizer) + text.size() + (1 << 20));
  StagedFolder staged(folder, "");
  Manifest manifest;
  manifest.info = {{"kind", kind}, {"version", version}, {"step", state.run.value("step", std::int64_t{0})}};
  manifest.files[weights_file] = write_tensors(staged.path() / weights_file, state.weights);
  manifest.files[optimizer_file] = write_tensors(staged.path() / optimizer_file, state.optimizer);
  write_file(staged.path() / state_file, text);
  manifest.files[state_file] = {text.size(), hash_of(text)};
  write_manifest(staged.path(), manifest);
  staged.publish();
}

Json read_run_state(const fs::path& folder) {
  const Manifest manifest = read_manifest(folder);
  if (manifest.info.value("kind", "") != kind) {
    throw Error(Status::format, fmt::format("{} is no full state of a run", folder.string()),
                {{"file", folder.string()}});
  }
  if (manifest.info.value("version", 0) != version) {
    throw Error(Status::version,
                fmt::format("{} is of version {}, this libilt reads version {}", folder.string(),
                            manifest.info.value("version", 0), version),
                {{"file", folder.string()}});
  }
  const fs::path path = folder / state_file;
  Json run = parse_json(read_file(path), path.string());
  if (!run.is_object() || !run.contains("config") || !run["config"].is_object())
    throw Error(Status::format, fmt::format("{} describes no run: it has no \"config\"", path.string()),
                {{"file", path.string()}});
  return run;
}

void load_full_state(const fs::path& folder, const FullState& into) {
  const SafetensorsFile weights(folder / weights_file);
  const SafetensorsFile optimizer(folder / optimizer_file);
  check_tensors(weights, folder / weights_file, into.weights);
  check_tensors(optimizer, folder / optimizer_file, into.optimizer);
  copy_tensors(weights, into.weights);
  copy_tensors(optimizer, into.optimizer);
}

}  // namespace ilt
