// Mapping a processed file, with every check that later reads rely on.
#include "data/processed_file.h"

#include <array>
#include <bit>
#include <cstring>

#include "base/error.h"
#include "base/hash.h"

namespace ilt {

static_assert(std::endian::native == std::endian::little, "processed files are little-endian");

ProcessedFile::ProcessedFile(const std::filesystem::path& path) : path_(path), file_(path) {
  if (const auto it = file_.metadata().find("format"); it == file_.metadata().end() || it->second != processed_format) {
    broken("it is a safetensors file, but no data set that `ilt data process` has written");
  }
  if (const std::string version = metadata("version"); version != processed_version) {
    broken(fmt::format("it is of version {}, this libilt reads version {}: process the data again", version,
                       processed_version));
  }
  const auto ids = tensor("input_ids", DType::i32);
  ids_ = {reinterpret_cast<const std::int32_t*>(ids.data()), ids.size() / sizeof(std::int32_t)};
  const auto flags = tensor("supervised", DType::boolean);
  supervised_ = {reinterpret_cast<const std::uint8_t*>(flags.data()), flags.size()};
  ends_ = tensor("sample_ends", DType::i64);
  try {
    report_ = report_from_json(parse_json(metadata("report"), "report"));
    origin_.settings = parse_json(metadata("settings"), "settings");
    origin_.tokenizer = metadata("tokenizer");
    origin_.vocab_size = std::stoi(metadata("vocab_size"));
  } catch (const Json::exception& error) {
    broken(fmt::format("its metadata are wrong: {}", error.what()));
  } catch (const std::logic_error& error) {
    broken("its metadata are wrong: vocab_size is no number");
  }
  check();
}

void ProcessedFile::broken(const std::string& why) const {
  throw Error(Status::format, fmt::format("{}: {}", path_.string(), why), {{"file", path_.string()}});
}

std::string ProcessedFile::metadata(const char* key) const {
  const auto it = file_.metadata().find(key);
  if (it == file_.metadata().end()) broken(fmt::format("its metadata have no \"{}\"", key));
  return it->second;
}

std::span<const std::byte> ProcessedFile::tensor(const char* name, DType dtype) const {
  const auto it = file_.tensors().find(name);
  if (it == file_.tensors().end()) broken(fmt::format("the tensor {} is missing", name));
  const TensorView& view = it->second;
  if (view.info.dtype != dtype || view.info.shape.size() != 1) {
    broken(fmt::format("the tensor {} is {} with {} dimensions, expected {} with 1", name, dtype_name(view.info.dtype),
                       view.info.shape.size(), dtype_name(dtype)));
  }
  if (hash_of(view.bytes) != metadata((std::string("checksum.") + name).c_str())) {
    broken(
        fmt::format("the bytes of {} are not those that were written (their checksum differs): process the data "
                    "again",
                    name));
  }
  return view.bytes;
}

// The checksums tell accidents; a made-up file must not make reads go astray either.
void ProcessedFile::check() const {
  if (reinterpret_cast<std::uintptr_t>(ids_.data()) % alignof(std::int32_t) != 0) broken("input_ids is not aligned");
  if (supervised_.size() != ids_.size()) {
    broken(fmt::format("{} input_ids but {} supervised", ids_.size(), supervised_.size()));
  }
  for (const std::uint8_t flag : supervised_) {
    if (flag > 1) broken(fmt::format("supervised holds {}, expected 0 or 1", flag));
  }
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    const std::uint64_t end = sample_end(i);
    if (end <= before || end > ids_.size()) broken(fmt::format("sample {} ends at token {}, after {}", i, end, before));
    before = end;
  }
  if (before != ids_.size()) broken(fmt::format("the samples hold {} of {} tokens", before, ids_.size()));
  for (const std::int32_t id : ids_) {
    if (id < 0) broken(fmt::format("input_ids holds {}, expected ids from 0", id));
  }
}

std::uint64_t ProcessedFile::sample_end(std::size_t i) const noexcept {
  std::uint64_t end = 0;
  std::memcpy(&end, ends_.data() + i * sizeof end, sizeof end);
  return end;
}

std::string ProcessedFile::checksums() const {
  return metadata("checksum.input_ids") + metadata("checksum.supervised") + metadata("checksum.sample_ends");
}

bool looks_processed(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::array<char, 9> head{};
  InputFile file(path);
  if (file.read(head) != head.size()) return false;
  std::uint64_t length = 0;
  std::memcpy(&length, head.data(), sizeof length);
  return length <= file.size() - 8 && head[8] == '{';
}

}  // namespace ilt
