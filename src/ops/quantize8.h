// Block-wise dynamic 8-bit quantisation (Dettmers et al., arXiv 2110.02861): a code for each value, a scale for each
// block of 256.
#pragma once

#include <array>

#include "ops/tensor.h"

namespace ilt::ops {

inline constexpr std::int64_t quantize8_block = 256;

enum class Code8 {
  with_sign,     // -1 to 1
  without_sign,  // 0 to 1, twice as fine
};

// The 256 values that codes stand for, ascending: seven decades, each with twice the values of the one below.
const std::array<float, 256>& dynamic_code(Code8 code);

// x [n] fp32; codes uint8 [n]; scales fp32 [ceil(n / 256)]: the largest magnitude of each block. Each value becomes the
// nearest multiple of its block's scale.
void quantize8(Code8 code, const Tensor& x, Tensor codes, Tensor scales);
void dequantize8(Code8 code, const Tensor& codes, const Tensor& scales, Tensor x);

namespace plain {
void quantize8(Code8 code, const Tensor& x, Tensor codes, Tensor scales);
void dequantize8(Code8 code, const Tensor& codes, const Tensor& scales, Tensor x);
}  // namespace plain

}  // namespace ilt::ops
