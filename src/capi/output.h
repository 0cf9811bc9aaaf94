// What goes out to the caller: strings and arrays that ilt_free() frees, structs of the caller's size.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <string_view>

#include "capi/guard.h"

namespace ilt::capi {

template <typename T>
T* copy_out(std::span<const T> values, std::size_t spare = 0) {
  auto* const memory = static_cast<T*>(std::malloc((values.size() + spare) * sizeof(T) + 1));
  if (memory == nullptr) throw std::bad_alloc();
  if (!values.empty()) std::memcpy(memory, values.data(), values.size_bytes());
  return memory;
}

inline void give_string(std::string_view text, char** out, std::size_t* out_length) {
  require(out, "out");
  char* const copy = copy_out(std::span(text.data(), text.size()), 1);
  copy[text.size()] = '\0';
  *out = copy;
  if (out_length != nullptr) *out_length = text.size();
}

inline void give_ids(std::span<const std::int32_t> ids, std::int32_t** out, std::size_t* out_count) {
  *out = copy_out(ids);
  *out_count = ids.size();
}

// Larger than any struct of a later version will be: what lies above was never set.
inline constexpr std::size_t largest_struct = 4096;

// Throws unless the caller has set struct_size to that of a version that there was.
template <typename T>
void check_struct(const T* out, const char* name) {
  require(out, name);
  if (out->struct_size >= sizeof(T) && out->struct_size <= largest_struct) return;
  throw Error(Status::invalid_argument,
              fmt::format("{}->struct_size is {}, expected {} (initialise it with ILT_..._INIT)", name,
                          out->struct_size, sizeof(T)),
              {{"argument", name}, {"got", out->struct_size}, {"expected", sizeof(T)}});
}

// Members of a later version than this library's become zero.
template <typename T>
void give_struct(T value, T* out) {
  value.struct_size = out->struct_size;
  std::memset(reinterpret_cast<std::byte*>(out) + sizeof(T), 0, out->struct_size - sizeof(T));
  *out = value;
}

}  // namespace ilt::capi
