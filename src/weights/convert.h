// Conversion between stored element types and the fp32 that training computes in.
#pragma once

#include <cstddef>
#include <span>

#include "weights/safetensors.h"

namespace ilt {

// Reads F32, BF16, F16 or F64; throws unsupported for others. `out` has as many values as the tensor.
void to_float(const TensorView& view, std::span<float> out);

// Writes F32, BF16 or F16, rounded to nearest even; NaN stays NaN. `out` has values.size() elements' bytes.
void from_float(std::span<const float> values, DType dtype, std::span<std::byte> out);

}  // namespace ilt
