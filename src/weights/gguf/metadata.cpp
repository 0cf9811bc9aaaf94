// Typed reading of metadata.
#include "weights/gguf/metadata.h"

#include <array>
#include <charconv>
#include <limits>

#include "base/text.h"
#include "weights/gguf/cursor.h"
#include "weights/safetensors_fault.h"

namespace ilt {
namespace {

bool is_integer(GgufValueType type) {
  return type != GgufValueType::f32 && type != GgufValueType::f64 && type != GgufValueType::boolean &&
         type != GgufValueType::string && type != GgufValueType::array;
}

template <typename Number>
std::int64_t widened(GgufCursor& cursor) {
  return static_cast<std::int64_t>(cursor.number<Number>("a value"));
}

// False where it is above 2^63 - 1.
bool read_integer(GgufCursor& cursor, GgufValueType type, std::int64_t& value) {
  switch (type) {
    case GgufValueType::u8:
      return value = widened<std::uint8_t>(cursor), true;
    case GgufValueType::i8:
      return value = widened<std::int8_t>(cursor), true;
    case GgufValueType::u16:
      return value = widened<std::uint16_t>(cursor), true;
    case GgufValueType::i16:
      return value = widened<std::int16_t>(cursor), true;
    case GgufValueType::u32:
      return value = widened<std::uint32_t>(cursor), true;
    case GgufValueType::i32:
      return value = widened<std::int32_t>(cursor), true;
    case GgufValueType::u64:
      return value = widened<std::uint64_t>(cursor), value >= 0;
    default:
      return value = widened<std::int64_t>(cursor), true;
  }
}

}  // namespace

double shortest_decimal(float value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  double number = 0;
  std::from_chars(text.data(), end, number);
  return number;
}

std::vector<std::string> GgufMetadata::keys() const {
  std::vector<std::string> names;
  names.reserve(values_.size());
  for (const auto& [key, value] : values_) names.push_back(key);
  return names;
}

const GgufValue& GgufMetadata::at(const std::string& key) const {
  const auto it = values_.find(key);
  if (it == values_.end())
    fail_gguf(path_, {"the metadata", fmt::format("no key {}", shown_name(key)), "it",
                      "the file is incomplete, or was made by a tool that leaves it out"});
  return it->second;
}

void GgufMetadata::wrong(const std::string& key, std::string_view expected) const {
  const GgufValue& value = at(key);
  const std::string name(gguf_value_type_name(value.type));
  fail_gguf(path_, {fmt::format("the key {}", shown_name(key)),
                    value.is_array ? fmt::format("an array of {} {}", value.count, name) : "a value of type " + name,
                    std::string(expected)});
}

const GgufValue& GgufMetadata::scalar(const std::string& key, std::string_view expected) const {
  const GgufValue& value = at(key);
  if (value.is_array) wrong(key, expected);
  return value;
}

bool GgufMetadata::is_array(const std::string& key) const {
  return at(key).is_array;
}

std::uint64_t GgufMetadata::count(const std::string& key) const {
  return at(key).count;
}

std::int64_t GgufMetadata::integer(const std::string& key) const {
  constexpr auto expected = "an integer below 2^63";
  const GgufValue& value = scalar(key, expected);
  GgufCursor cursor(value.bytes, path_);
  std::int64_t integer = 0;
  if (!is_integer(value.type) || !read_integer(cursor, value.type, integer)) wrong(key, expected);
  return integer;
}

std::int64_t GgufMetadata::integer_or(const std::string& key, std::int64_t fallback) const {
  return has(key) ? integer(key) : fallback;
}

double GgufMetadata::number(const std::string& key) const {
  const GgufValue& value = scalar(key, "a number");
  GgufCursor cursor(value.bytes, path_);
  if (value.type == GgufValueType::f32) return shortest_decimal(cursor.number<float>(key));
  if (value.type == GgufValueType::f64) return cursor.number<double>(key);
  return static_cast<double>(integer(key));
}

double GgufMetadata::number_or(const std::string& key, double fallback) const {
  return has(key) ? number(key) : fallback;
}

bool GgufMetadata::boolean_or(const std::string& key, bool fallback) const {
  if (!has(key)) return fallback;
  const GgufValue& value = scalar(key, "a boolean");
  if (value.type != GgufValueType::boolean) wrong(key, "a boolean");
  return value.bytes[0] != std::byte{0};
}

std::string GgufMetadata::text(const std::string& key) const {
  constexpr auto expected = "a string in UTF-8";
  const GgufValue& value = scalar(key, expected);
  const std::string_view text(reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size());
  if (value.type != GgufValueType::string || !is_utf8(text)) wrong(key, expected);
  return std::string(text);
}

std::string GgufMetadata::text_or(const std::string& key, const std::string& fallback) const {
  return has(key) ? text(key) : fallback;
}

std::vector<std::string_view> GgufMetadata::texts(const std::string& key) const {
  const GgufValue& value = at(key);
  if (!value.is_array || value.type != GgufValueType::string) wrong(key, "an array of strings");
  GgufCursor cursor(value.bytes, path_);
  std::vector<std::string_view> texts;
  texts.reserve(value.count);  // each has its length in the file
  for (std::uint64_t i = 0; i < value.count; ++i) {
    texts.push_back(cursor.string(key));
    if (!is_utf8(texts.back()))
      fail_gguf(path_, {fmt::format("the key {}, entry {}", shown_name(key), i), "other bytes", "UTF-8"});
  }
  return texts;
}

std::vector<std::int64_t> GgufMetadata::integers(const std::string& key) const {
  const GgufValue& value = at(key);
  if (!is_integer(value.type)) wrong(key, "integers");
  GgufCursor cursor(value.bytes, path_);
  std::vector<std::int64_t> integers(value.count);
  for (std::int64_t& integer : integers)
    if (!read_integer(cursor, value.type, integer)) wrong(key, "integers below 2^63");
  return integers;
}

std::vector<float> GgufMetadata::floats(const std::string& key) const {
  const GgufValue& value = at(key);
  if (!value.is_array || value.type != GgufValueType::f32) wrong(key, "an array of float32");
  std::vector<float> floats(value.count);
  if (!floats.empty()) std::memcpy(floats.data(), value.bytes.data(), value.bytes.size());
  return floats;
}

}  // namespace ilt
