// Checks of a whole GGUF file: header, metadata, and that tensors lie one after another inside the data.
#include "weights/gguf/file.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "weights/gguf/cursor.h"
#include "weights/safetensors_fault.h"

namespace ilt {
namespace {

static_assert(std::endian::native == std::endian::little, "GGUF is little-endian, and read in place");

constexpr std::string_view magic = "GGUF";
constexpr std::uint32_t max_rank = 4;  // ggml's
constexpr std::uint64_t default_alignment = 32;
constexpr const char* alignment_key = "general.alignment";

void read_header(GgufCursor& cursor, const fs::path& path) {
  const auto found = cursor.take(magic.size(), "the file");
  if (std::string_view(reinterpret_cast<const char*>(found.data()), found.size()) != magic)
    fail_gguf(path, {"the file", "other bytes at its start", "'GGUF'", "give a GGUF file"});
  const auto version = cursor.number<std::uint32_t>("the version");
  if (version == 2 || version == 3) return;
  const bool swapped = (version & 0xffffU) == 0;
  refuse_gguf(path, "the version", swapped ? "that of a big-endian file" : fmt::format("{}", version),
              "libilt reads versions 2 and 3, little-endian: convert the model again");
}

void skip_values(GgufCursor& cursor, const GgufValue& value, const std::string& what) {
  if (value.type == GgufValueType::string) {
    for (std::uint64_t i = 0; i < value.count; ++i) cursor.string(what);
    return;
  }
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(value.count, gguf_value_size(value.type), &bytes)) bytes = ~std::uint64_t{0};
  cursor.take(bytes, what);
}

GgufValueType read_type(GgufCursor& cursor, const std::string& what, const fs::path& path) {
  const auto type = static_cast<GgufValueType>(cursor.number<std::uint32_t>(what));
  if (gguf_value_type_name(type).empty())
    fail_gguf(path, {what, fmt::format("the type {}", static_cast<std::uint32_t>(type)), "a type from 0 to 12"});
  return type;
}

// `all` are the bytes that the cursor goes through.
GgufValue read_value(GgufCursor& cursor, std::span<const std::byte> all, const std::string& what,
                     const fs::path& path) {
  GgufValue value;
  value.type = read_type(cursor, what, path);
  if (value.type == GgufValueType::string) {
    value.bytes = std::as_bytes(std::span(cursor.string(what)));
    return value;
  }
  if (value.type == GgufValueType::array) {
    value.is_array = true;
    value.type = read_type(cursor, what, path);
    value.count = cursor.number<std::uint64_t>(what);
    if (value.type == GgufValueType::array) fail_gguf(path, {what, "an array of arrays", "an array of values"});
  }
  const std::uint64_t begin = cursor.offset();
  skip_values(cursor, value, what);
  value.bytes = all.subspan(begin, cursor.offset() - begin);
  return value;
}

GgufMetadata read_metadata(GgufCursor& cursor, std::span<const std::byte> all, std::uint64_t count,
                           const fs::path& path) {
  GgufMetadata metadata(path);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string key(cursor.string("a key of the metadata"));
    const std::string what = fmt::format("the key {}", shown_name(key));
    if (!metadata.add(key, read_value(cursor, all, what, path))) fail_gguf(path, {what, "it twice", "each key once"});
  }
  return metadata;
}

std::uint64_t read_alignment(const GgufMetadata& metadata) {
  const std::int64_t alignment = metadata.integer_or(alignment_key, default_alignment);
  if (alignment < 1 || alignment > (1 << 20) || !std::has_single_bit(static_cast<std::uint64_t>(alignment)))
    fail_gguf(metadata.path(), {alignment_key, fmt::format("{}", alignment), "a power of two up to 2^20"});
  return static_cast<std::uint64_t>(alignment);
}

struct TensorEntry {
  std::string name, what;
  GgufTensor tensor;
  std::uint64_t offset = 0, bytes = 0;
};

void read_shape(GgufCursor& cursor, TensorEntry& entry, const fs::path& path) {
  const auto rank = cursor.number<std::uint32_t>(entry.what);
  if (rank > max_rank)
    fail_gguf(path, {entry.what, fmt::format("{} dimensions", rank), fmt::format("at most {}", max_rank),
                     GgufFault{}.advice, entry.name});
  entry.tensor.shape.resize(rank);
  for (auto it = entry.tensor.shape.rbegin(); it != entry.tensor.shape.rend(); ++it)
    if (*it = cursor.number<std::int64_t>(entry.what); *it < 0)
      fail_gguf(path, {entry.what, "a size above 2^63", "a size that a file can have", GgufFault{}.advice, entry.name});
}

// The tensor's bytes by its shape and type; at most 2^63 - 1, so that no later arithmetic overflows.
std::uint64_t checked_size(const TensorEntry& entry, const GgufTensorLayout& layout, const fs::path& path) {
  const GgufTensor& t = entry.tensor;
  if (t.row_values() % layout.block_values != 0)
    fail_gguf(path, {entry.what, fmt::format("rows of {} values", t.row_values()),
                     fmt::format("a multiple of {}, as {} has blocks of", layout.block_values, layout.name),
                     GgufFault{}.advice, entry.name});
  std::int64_t values = 1;
  bool overflows = false;
  for (const std::int64_t size : t.shape) overflows = __builtin_mul_overflow(values, size, &values) || overflows;
  std::int64_t bytes = 0;
  overflows = __builtin_mul_overflow(values / layout.block_values, layout.block_bytes, &bytes) || overflows;
  if (overflows)
    fail_gguf(path,
              {entry.what, "more than 2^63 bytes", "a size that a file can have", GgufFault{}.advice, entry.name});
  return static_cast<std::uint64_t>(bytes);
}

TensorEntry read_entry(GgufCursor& cursor, const fs::path& path) {
  TensorEntry entry;
  entry.name = cursor.string("a tensor's name");
  entry.what = fmt::format("tensor {}", shown_name(entry.name));
  read_shape(cursor, entry, path);
  const auto type = cursor.number<std::uint32_t>(entry.what);
  const GgufTensorLayout* const layout = find_gguf_layout(type);
  if (layout == nullptr)
    refuse_gguf(path, "the type of " + entry.what, fmt::format("{}", type), "libilt reads " + gguf_readable_types());
  entry.tensor.type = layout->type;
  entry.offset = cursor.number<std::uint64_t>(entry.what);
  entry.bytes = checked_size(entry, *layout, path);
  return entry;
}

std::uint64_t aligned(std::uint64_t offset, std::uint64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

// Gives each tensor its bytes: they lie in the order of their entries, each at the next aligned place.
void place_tensors(std::vector<TensorEntry>& entries, std::span<const std::byte> data, std::uint64_t alignment,
                   const fs::path& path) {
  std::uint64_t end = 0;
  for (TensorEntry& e : entries) {
    const std::uint64_t begin = aligned(end, alignment);
    if (e.offset != begin)
      fail_gguf(path, {e.what, fmt::format("the offset {}", e.offset),
                       fmt::format("{}, behind the tensor before it", begin), GgufFault{}.advice, e.name});
    if (begin > data.size() || e.bytes > data.size() - begin)
      fail_gguf(path,
                {e.what, fmt::format("{} bytes at {} in a file with {} bytes of data", e.bytes, begin, data.size()),
                 "data inside the file", "the file is truncated: download or copy it again", e.name});
    e.tensor.bytes = data.subspan(begin, e.bytes);
    end = begin + e.bytes;
  }
}

struct Head {
  GgufMetadata metadata;
  std::vector<TensorEntry> entries;
  std::uint64_t end = 0;
};

Head read_head(std::span<const std::byte> file, const fs::path& path) {
  GgufCursor cursor(file, path);
  read_header(cursor, path);
  const auto tensor_count = cursor.number<std::uint64_t>("the number of tensors");
  const auto value_count = cursor.number<std::uint64_t>("the number of keys");
  Head head{read_metadata(cursor, file, value_count, path), {}};
  // Grows with what the file holds, not with what it promises.
  for (std::uint64_t i = 0; i < tensor_count; ++i) head.entries.push_back(read_entry(cursor, path));
  head.end = cursor.offset();
  return head;
}

GgufContent content_of(Head head, const fs::path& path) {
  GgufContent content{std::move(head.metadata), {}};
  for (TensorEntry& e : head.entries)
    if (!content.tensors.emplace(e.name, std::move(e.tensor)).second)
      fail_gguf(path, {e.what, "this name twice", "each name once", GgufFault{}.advice, e.name});
  return content;
}

}  // namespace

std::int64_t GgufTensor::numel() const {
  std::int64_t n = 1;
  for (const std::int64_t d : shape) n *= d;
  return n;
}

GgufContent read_gguf(std::span<const std::byte> file, const std::filesystem::path& path) {
  Head head = read_head(file, path);
  const std::uint64_t alignment = read_alignment(head.metadata);
  const std::uint64_t begin = std::min<std::uint64_t>(aligned(head.end, alignment), file.size());
  place_tensors(head.entries, file.subspan(begin), alignment, path);
  return content_of(std::move(head), path);
}

GgufContent read_gguf_head(std::span<const std::byte> head, const std::filesystem::path& path) {
  return content_of(read_head(head, path), path);
}

}  // namespace ilt
