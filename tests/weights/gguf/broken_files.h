// GGUF files put together by hand, and broken ones, one of each kind, with words that their error must hold.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "weights/gguf/types.h"

namespace ilt {

template <typename Number>
std::string gguf_number(Number value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

inline std::string gguf_string(std::string_view text) {
  return gguf_number<std::uint64_t>(text.size()).append(text);
}

inline std::string gguf_type(GgufValueType type) {
  return gguf_number(static_cast<std::uint32_t>(type));
}

inline std::string gguf_head(std::uint64_t tensors, std::uint64_t keys, std::uint32_t version = 3) {
  return "GGUF" + gguf_number(version) + gguf_number(tensors) + gguf_number(keys);
}

// Dimensions in the file's order: the innermost first.
inline std::string gguf_entry(std::string_view name, const std::vector<std::uint64_t>& dimensions, std::uint32_t type,
                              std::uint64_t offset) {
  std::string bytes = gguf_string(name) + gguf_number(static_cast<std::uint32_t>(dimensions.size()));
  for (const std::uint64_t size : dimensions) bytes += gguf_number(size);
  return bytes + gguf_number(type) + gguf_number(offset);
}

// The head with its data, which begins at a multiple of 32.
inline std::string gguf_with_data(std::string head, std::size_t data) {
  head.resize((head.size() + 31) / 32 * 32);
  return head.append(data, '\1');
}

struct BrokenGguf {
  std::string name, bytes, reason;
};

inline std::vector<BrokenGguf> broken_gguf_files() {
  constexpr std::uint64_t huge = ~std::uint64_t{0};
  const auto key = [](std::string_view name, GgufValueType type) { return gguf_string(name) + gguf_type(type); };
  const auto one = [](const std::string& entry, std::size_t data = 64) {
    return gguf_with_data(gguf_head(1, 0) + entry, data);
  };
  const std::string integer = key("a", GgufValueType::u8) + "x";
  const auto array = [&](GgufValueType type, std::uint64_t count) {
    return gguf_head(0, 1) + key("a", GgufValueType::array) + gguf_type(type) + gguf_number(count);
  };
  return {
      {"empty", "", "truncated"},
      {"magic", "GGML" + gguf_number(3), "expected 'GGUF'"},
      {"version 1", gguf_head(0, 0, 1), "the version is 1; libilt reads versions 2 and 3"},
      {"big-endian", gguf_head(0, 0, 3U << 24), "big-endian"},
      {"no counts", "GGUF" + gguf_number(3), "the number of tensors"},
      {"keys that are not there", gguf_head(0, huge), "a key of the metadata: found 8 bytes"},
      {"tensors that are not there", gguf_head(huge, 0), "a tensor's name"},
      {"long key", gguf_head(0, 1) + gguf_number(huge), "truncated"},
      {"no type", gguf_head(0, 1) + gguf_string("a"), "the key 'a'"},
      {"unknown type", gguf_head(0, 1) + gguf_string("a") + gguf_number(13), "the type 13"},
      {"value cut", gguf_head(0, 1) + key("a", GgufValueType::u32) + "xyz", "the key 'a'"},
      {"string cut", gguf_head(0, 1) + key("a", GgufValueType::string) + gguf_number<std::uint64_t>(4) + "xyz", "'a'"},
      {"key twice", gguf_head(0, 2) + integer + integer, "the key 'a': found it twice"},
      {"array of arrays", array(GgufValueType::array, 0), "an array of arrays"},
      {"array of a type unknown", array(static_cast<GgufValueType>(99), 0), "the type 99"},
      {"array too long", array(GgufValueType::u8, 5), "the key 'a'"},
      {"array whose size overflows", array(GgufValueType::u64, std::uint64_t{1} << 61), "the key 'a'"},
      {"strings that are not there", array(GgufValueType::string, huge), "the key 'a'"},
      {"alignment", gguf_head(0, 1) + key("general.alignment", GgufValueType::u32) + gguf_number<std::uint32_t>(24),
       "general.alignment: found 24, expected a power of two"},
      {"alignment zero", gguf_head(0, 1) + key("general.alignment", GgufValueType::u32) + gguf_number<std::uint32_t>(0),
       "found 0"},
      {"alignment a string", gguf_head(0, 1) + key("general.alignment", GgufValueType::string) + gguf_string("x"),
       "expected an integer"},
      {"five dimensions", one(gguf_entry("t", {1, 1, 1, 1, 1}, 0, 0)), "tensor 't': found 5 dimensions"},
      {"dimensions cut", gguf_head(1, 0) + gguf_string("t") + gguf_number<std::uint32_t>(2), "tensor 't'"},
      {"dimension above 2^63", one(gguf_entry("t", {huge}, 0, 0)), "a size above 2^63"},
      {"size overflows", one(gguf_entry("t", {1ULL << 62, 1ULL << 62}, 0, 0)), "more than 2^63 bytes"},
      {"bytes overflow", one(gguf_entry("t", {1ULL << 62}, 0, 0)), "more than 2^63 bytes"},
      {"tensor type unknown", one(gguf_entry("t", {1}, 4, 0)), "the type of tensor 't' is 4; libilt reads F32"},
      {"part of a block", one(gguf_entry("t", {33}, 8, 0)), "found rows of 33 values, expected a multiple of 32"},
      {"offset", one(gguf_entry("t", {1}, 0, 32)), "tensor 't': found the offset 32, expected 0"},
      {"data cut", one(gguf_entry("t", {17}, 0, 0)), "68 bytes at 0 in a file with 64 bytes of data"},
      {"no data", gguf_head(1, 0) + gguf_entry("t", {1}, 0, 0), "0 bytes of data"},
      {"overlap", gguf_with_data(gguf_head(2, 0) + gguf_entry("t", {9}, 0, 0) + gguf_entry("u", {1}, 0, 32), 96),
       "tensor 'u': found the offset 32, expected 64"},
      {"name twice", gguf_with_data(gguf_head(2, 0) + gguf_entry("t", {1}, 0, 0) + gguf_entry("t", {1}, 0, 32), 64),
       "tensor 't': found this name twice"},
  };
}

}  // namespace ilt
