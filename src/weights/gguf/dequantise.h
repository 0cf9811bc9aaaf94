// Blocks of packed values to fp32, as ggml's reference does it.
#pragma once

#include <cstddef>
#include <span>

#include "weights/gguf/types.h"

namespace ilt {

// Throws unsupported for a type that libilt does not read. `blocks` are whole blocks; `out` has as many values.
void dequantise(GgufTensorType type, std::span<const std::byte> blocks, std::span<float> out);

}  // namespace ilt
