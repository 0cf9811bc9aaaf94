// The types of GGUF: of metadata values, and of stored tensors with the blocks that their values are packed into.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ilt {

// As the format numbers them.
enum class GgufValueType : std::uint32_t {
  u8 = 0,
  i8 = 1,
  u16 = 2,
  i16 = 3,
  u32 = 4,
  i32 = 5,
  f32 = 6,
  boolean = 7,
  string = 8,
  array = 9,
  u64 = 10,
  i64 = 11,
  f64 = 12,
};

// "uint32"; empty for what is no type.
std::string_view gguf_value_type_name(GgufValueType type);
// Bytes of one value; 0 for strings and arrays, whose size the file tells.
std::uint64_t gguf_value_size(GgufValueType type);

enum class GgufTensorType : std::uint32_t {
  f32 = 0,
  f16 = 1,
  q4_0 = 2,
  q4_1 = 3,
  q5_0 = 6,
  q5_1 = 7,
  q8_0 = 8,
  q4_k = 12,
  q5_k = 13,
  q6_k = 14,
  f64 = 28,
  bf16 = 30,
};

// A row holds whole blocks of `block_values` values, each `block_bytes` long.
struct GgufTensorLayout {
  GgufTensorType
      type;  // may be one without a name in the enumeration, which libilt knows the size of but does not read
  std::string_view name;
  std::uint32_t block_values;
  std::uint32_t block_bytes;
  bool readable = false;
};

// nullptr for a number that is no type.
const GgufTensorLayout* find_gguf_layout(std::uint32_t type);
const GgufTensorLayout& gguf_layout(GgufTensorType type);
// Names of the types that libilt reads: "F32, F16, ...".
std::string gguf_readable_types();

}  // namespace ilt
