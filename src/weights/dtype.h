// Element types of stored tensors, by their safetensors names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ilt {

enum class DType { f64, f32, f16, bf16, i64, i32, i16, i8, u64, u32, u16, u8, boolean };

std::string_view dtype_name(DType dtype);  // "F32", "BF16", ...
std::string_view torch_name(DType dtype);  // "float32", "bfloat16", ...
std::size_t dtype_size(DType dtype);
// Throws format naming the known ones. Both spellings: safetensors' "BF16" and torch's "bfloat16".
DType parse_dtype(std::string_view name);

}  // namespace ilt
