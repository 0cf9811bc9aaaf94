// Tables of the format's types: ggml's numbers, names and block sizes.
#include "weights/gguf/types.h"

#include <array>
#include <string>

#include "base/error.h"

namespace ilt {
namespace {

struct ValueRow {
  GgufValueType type;
  std::string_view name;
  std::uint64_t size;
};

constexpr std::array value_types = {
    ValueRow{GgufValueType::u8, "uint8", 1},      ValueRow{GgufValueType::i8, "int8", 1},
    ValueRow{GgufValueType::u16, "uint16", 2},    ValueRow{GgufValueType::i16, "int16", 2},
    ValueRow{GgufValueType::u32, "uint32", 4},    ValueRow{GgufValueType::i32, "int32", 4},
    ValueRow{GgufValueType::f32, "float32", 4},   ValueRow{GgufValueType::boolean, "bool", 1},
    ValueRow{GgufValueType::string, "string", 0}, ValueRow{GgufValueType::array, "array", 0},
    ValueRow{GgufValueType::u64, "uint64", 8},    ValueRow{GgufValueType::i64, "int64", 8},
    ValueRow{GgufValueType::f64, "float64", 8},
};

constexpr GgufTensorLayout readable(GgufTensorType type, std::string_view name, std::uint32_t values,
                                    std::uint32_t bytes) {
  return {type, name, values, bytes, true};
}

constexpr GgufTensorLayout known(std::uint32_t type, std::string_view name, std::uint32_t values, std::uint32_t bytes) {
  return {static_cast<GgufTensorType>(type), name, values, bytes, false};
}

constexpr std::array tensor_types = {
    readable(GgufTensorType::f32, "F32", 1, 4),
    readable(GgufTensorType::f16, "F16", 1, 2),
    readable(GgufTensorType::bf16, "BF16", 1, 2),
    readable(GgufTensorType::f64, "F64", 1, 8),
    readable(GgufTensorType::q8_0, "Q8_0", 32, 34),
    readable(GgufTensorType::q4_0, "Q4_0", 32, 18),
    readable(GgufTensorType::q4_1, "Q4_1", 32, 20),
    readable(GgufTensorType::q5_0, "Q5_0", 32, 22),
    readable(GgufTensorType::q5_1, "Q5_1", 32, 24),
    readable(GgufTensorType::q4_k, "Q4_K", 256, 144),
    readable(GgufTensorType::q5_k, "Q5_K", 256, 176),
    readable(GgufTensorType::q6_k, "Q6_K", 256, 210),
    known(9, "Q8_1", 32, 40),
    known(10, "Q2_K", 256, 84),
    known(11, "Q3_K", 256, 110),
    known(15, "Q8_K", 256, 292),
    known(16, "IQ2_XXS", 256, 66),
    known(17, "IQ2_XS", 256, 74),
    known(18, "IQ3_XXS", 256, 98),
    known(19, "IQ1_S", 256, 50),
    known(20, "IQ4_NL", 32, 18),
    known(21, "IQ3_S", 256, 110),
    known(22, "IQ2_S", 256, 82),
    known(23, "IQ4_XS", 256, 136),
    known(24, "I8", 1, 1),
    known(25, "I16", 1, 2),
    known(26, "I32", 1, 4),
    known(27, "I64", 1, 8),
    known(29, "IQ1_M", 256, 56),
    known(34, "TQ1_0", 256, 54),
    known(35, "TQ2_0", 256, 66),
    known(39, "MXFP4", 32, 17),
};

}  // namespace

std::string_view gguf_value_type_name(GgufValueType type) {
  for (const ValueRow& row : value_types)
    if (row.type == type) return row.name;
  return {};
}

std::uint64_t gguf_value_size(GgufValueType type) {
  for (const ValueRow& row : value_types)
    if (row.type == type) return row.size;
  return 0;
}

const GgufTensorLayout* find_gguf_layout(std::uint32_t type) {
  for (const GgufTensorLayout& layout : tensor_types)
    if (static_cast<std::uint32_t>(layout.type) == type) return &layout;
  return nullptr;
}

const GgufTensorLayout& gguf_layout(GgufTensorType type) {
  if (const auto* layout = find_gguf_layout(static_cast<std::uint32_t>(type))) return *layout;
  fail(Status::internal, "no such tensor type: {}", static_cast<std::uint32_t>(type));
}

std::string gguf_readable_types() {
  std::string names;
  for (const GgufTensorLayout& layout : tensor_types)
    if (layout.readable) names += (names.empty() ? "" : ", ") + std::string(layout.name);
  return names;
}

}  // namespace ilt
