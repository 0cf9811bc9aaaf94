// Element types and their names.
#include "weights/dtype.h"

#include <fmt/ranges.h>

#include <array>
#include <vector>

#include "base/error.h"

namespace ilt {

namespace {

struct Row {
  DType dtype;
  std::string_view name;   // safetensors
  std::string_view torch;  // config.json
  std::size_t size;
};

constexpr std::array table = {
    Row{DType::f64, "F64", "float64", 8},    Row{DType::f32, "F32", "float32", 4}, Row{DType::f16, "F16", "float16", 2},
    Row{DType::bf16, "BF16", "bfloat16", 2}, Row{DType::i64, "I64", "int64", 8},   Row{DType::i32, "I32", "int32", 4},
    Row{DType::i16, "I16", "int16", 2},      Row{DType::i8, "I8", "int8", 1},      Row{DType::u64, "U64", "uint64", 8},
    Row{DType::u32, "U32", "uint32", 4},     Row{DType::u16, "U16", "uint16", 2},  Row{DType::u8, "U8", "uint8", 1},
    Row{DType::boolean, "BOOL", "bool", 1}};

const Row& row_of(DType dtype) {
  for (const Row& row : table)
    if (row.dtype == dtype) return row;
  fail(Status::internal, "no such element type: {}", static_cast<int>(dtype));
}

}  // namespace

std::string_view dtype_name(DType dtype) {
  return row_of(dtype).name;
}

std::string_view torch_name(DType dtype) {
  return row_of(dtype).torch;
}

std::size_t dtype_size(DType dtype) {
  return row_of(dtype).size;
}

DType parse_dtype(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Row& row : table) {
    if (name == row.name || name == row.torch) return row.dtype;
    known.push_back(row.name);
  }
  fail(Status::format, "unknown element type '{}'; libilt knows: {}", name, fmt::join(known, ", "));
}

}  // namespace ilt
