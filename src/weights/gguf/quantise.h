// fp32 to the types that libilt writes GGUF in.
#pragma once

#include <cstddef>
#include <span>

#include "weights/gguf/types.h"

namespace ilt {

// F32, F16, BF16 and Q8_0, rounded as ggml's reference does it. `values` are whole blocks; `out` has their bytes.
void quantise(GgufTensorType type, std::span<const float> values, std::span<std::byte> out);

// The least magnitude that the type has no finite value for.
float gguf_overflow(GgufTensorType type);

}  // namespace ilt
