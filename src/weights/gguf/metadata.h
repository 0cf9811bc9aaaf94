// The metadata of a GGUF file: keys and typed values, read in place when they are asked for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weights/gguf/types.h"

namespace ilt {

// The shortest decimal number that gives this value: 1e-05 was 1e-05 before it was stored, not 9.99999974737875e-06.
double shortest_decimal(float value);

// A value as it lies in the file, its length checked: a string's characters, or one value after another.
struct GgufValue {
  GgufValueType type = GgufValueType::u32;  // of an array: of its elements
  bool is_array = false;
  std::uint64_t count = 1;
  std::span<const std::byte> bytes;
};

// Every function throws format, naming file and key, where the key is missing (unless it has a fallback) or of another
// type. Views are valid while the file is mapped.
class GgufMetadata {
 public:
  explicit GgufMetadata(std::filesystem::path path) : path_(std::move(path)) {}

  // False where the key is there already.
  bool add(std::string key, const GgufValue& value) { return values_.emplace(std::move(key), value).second; }

  const std::filesystem::path& path() const noexcept { return path_; }
  bool has(const std::string& key) const { return values_.contains(key); }
  std::vector<std::string> keys() const;

  // Of any integer type.
  std::int64_t integer(const std::string& key) const;
  std::int64_t integer_or(const std::string& key, std::int64_t fallback) const;
  // Of any number's type; of float32 the shortest decimal.
  double number(const std::string& key) const;
  double number_or(const std::string& key, double fallback) const;
  bool boolean_or(const std::string& key, bool fallback) const;
  std::string text(const std::string& key) const;  // UTF-8
  std::string text_or(const std::string& key, const std::string& fallback) const;

  std::vector<std::string_view> texts(const std::string& key) const;  // UTF-8, each
  std::vector<std::int64_t> integers(const std::string& key) const;   // one value counts as an array of one
  std::vector<float> floats(const std::string& key) const;
  bool is_array(const std::string& key) const;
  std::uint64_t count(const std::string& key) const;  // of an array's entries

 private:
  const GgufValue& at(const std::string& key) const;
  const GgufValue& scalar(const std::string& key, std::string_view expected) const;
  [[noreturn]] void wrong(const std::string& key, std::string_view expected) const;

  std::filesystem::path path_;
  std::map<std::string, GgufValue> values_;
};

}  // namespace ilt
