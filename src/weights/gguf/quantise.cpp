// Q8_0: blocks of 32 values with one scale, the largest magnitude divided by 127.
#include "weights/gguf/quantise.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "weights/convert.h"
#include "weights/finite.h"

namespace ilt {
namespace {

constexpr std::size_t block_values = 32;
constexpr std::size_t block_bytes = 34;

void q8_0(std::span<const float> values, std::byte* out) {
  float largest = 0;
  for (const float v : values) largest = std::max(largest, std::fabs(v));
  const float scale = largest / 127.0F;
  const float inverse = scale == 0.0F ? 0.0F : 1.0F / scale;
  from_float({&scale, 1}, DType::f16, {out, 2});
  for (std::size_t i = 0; i < values.size(); ++i)  // halves away from zero
    out[2 + i] = static_cast<std::byte>(static_cast<std::int8_t>(std::round(values[i] * inverse)));
}

DType dtype_of(GgufTensorType type) {
  switch (type) {
    case GgufTensorType::f32:
      return DType::f32;
    case GgufTensorType::f16:
      return DType::f16;
    case GgufTensorType::bf16:
      return DType::bf16;
    default:
      fail(Status::internal, "weights are not written as {}", gguf_layout(type).name);
  }
}

}  // namespace

void quantise(GgufTensorType type, std::span<const float> values, std::span<std::byte> out) {
  if (type != GgufTensorType::q8_0) return from_float(values, dtype_of(type), out);
  if (values.size() % block_values != 0 || out.size() != values.size() / block_values * block_bytes)
    fail(Status::internal, "quantise: {} bytes for {} values", out.size(), values.size());
  for (std::size_t done = 0; done < values.size(); done += block_values)
    q8_0(values.subspan(done, block_values), out.data() + done / block_values * block_bytes);
}

float gguf_overflow(GgufTensorType type) {
  // The scale of a block is stored in half precision.
  if (type == GgufTensorType::q8_0) return overflow_of(DType::f16) * 127.0F;
  return overflow_of(dtype_of(type));
}

}  // namespace ilt
