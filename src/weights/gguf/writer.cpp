// The bytes of GGUF.
#include "weights/gguf/writer.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/error.h"
#include "base/staging.h"

namespace ilt {
namespace {

constexpr std::uint64_t alignment = 32;  // the format's default

template <typename Number>
void append(std::string& bytes, Number value) {
  const std::size_t begin = bytes.size();
  bytes.resize(begin + sizeof value);
  std::memcpy(bytes.data() + begin, &value, sizeof value);
}

void append_text(std::string& bytes, std::string_view text) {
  append<std::uint64_t>(bytes, text.size());
  bytes += text;
}

std::uint64_t aligned(std::uint64_t offset) {
  return (offset + alignment - 1) / alignment * alignment;
}

}  // namespace

void GgufHead::add_key(const std::string& key, GgufValueType type) {
  append_text(values_, key);
  append(values_, static_cast<std::uint32_t>(type));
  ++value_count_;
}

void GgufHead::add_array(const std::string& key, GgufValueType type, std::uint64_t count) {
  add_key(key, GgufValueType::array);
  append(values_, static_cast<std::uint32_t>(type));
  append(values_, count);
}

void GgufHead::add_text(const std::string& key, std::string_view value) {
  add_key(key, GgufValueType::string);
  append_text(values_, value);
}

void GgufHead::add_u32(const std::string& key, std::uint32_t value) {
  add_key(key, GgufValueType::u32);
  append(values_, value);
}

void GgufHead::add_f32(const std::string& key, float value) {
  add_key(key, GgufValueType::f32);
  append(values_, value);
}

void GgufHead::add_boolean(const std::string& key, bool value) {
  add_key(key, GgufValueType::boolean);
  append<std::uint8_t>(values_, value ? 1 : 0);
}

void GgufHead::add_texts(const std::string& key, const std::vector<std::string>& values) {
  add_array(key, GgufValueType::string, values.size());
  for (const std::string& value : values) append_text(values_, value);
}

void GgufHead::add_i32s(const std::string& key, const std::vector<std::int32_t>& values) {
  add_array(key, GgufValueType::i32, values.size());
  for (const std::int32_t value : values) append(values_, value);
}

void GgufHead::add_f32s(const std::string& key, const std::vector<float>& values) {
  add_array(key, GgufValueType::f32, values.size());
  for (const float value : values) append(values_, value);
}

void GgufHead::add_tensor(std::string_view name, GgufTensorType type, const std::vector<std::int64_t>& shape) {
  append_text(entries_, name);
  append(entries_, static_cast<std::uint32_t>(shape.size()));
  std::uint64_t values = 1;
  for (auto it = shape.rbegin(); it != shape.rend(); ++it) {
    append(entries_, static_cast<std::uint64_t>(*it));
    values *= static_cast<std::uint64_t>(*it);
  }
  append(entries_, static_cast<std::uint32_t>(type));
  append(entries_, data_);
  const GgufTensorLayout& layout = gguf_layout(type);
  data_ = aligned(data_ + values / layout.block_values * layout.block_bytes);
  ++tensor_count_;
}

std::string GgufHead::bytes() const {
  std::string bytes = "GGUF";
  append<std::uint32_t>(bytes, 3);
  append(bytes, tensor_count_);
  append(bytes, value_count_);
  bytes += values_;
  bytes += entries_;
  bytes.resize(aligned(bytes.size()), '\0');
  return bytes;
}

GgufWriter::GgufWriter(const fs::path& path, const GgufHead& head)
    : path_(path), staged_(staging_path(path)), file_(staged_) {
  const std::string bytes = head.bytes();
  file_->write(std::as_bytes(std::span(bytes)));
  begin_ = file_->offset();
  end_ = begin_ + head.data_bytes();
}

GgufWriter::~GgufWriter() {
  if (!file_) return;
  file_.reset();
  std::error_code ignored;
  fs::remove(staged_, ignored);
}

void GgufWriter::write(std::span<const std::byte> bytes) {
  if (bytes.size() > end_ - file_->offset())
    fail(Status::internal, "GGUF: {} bytes too many", bytes.size() - (end_ - file_->offset()));
  file_->write(bytes);
}

void GgufWriter::end_tensor() {
  const std::uint64_t done = file_->offset() - begin_;
  file_->write(std::vector<std::byte>(aligned(done) - done));
}

void GgufWriter::finish() {
  if (file_->offset() != end_) fail(Status::internal, "GGUF: {} bytes are missing", end_ - file_->offset());
  file_->close();
  if (std::rename(staged_.c_str(), path_.c_str()) != 0) fail_errno("replace", path_, errno);
  sync_path(path_.parent_path().empty() ? "." : path_.parent_path());
  file_.reset();
}

}  // namespace ilt
