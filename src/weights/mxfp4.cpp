// Sixteen codes and a scale.
#include "weights/mxfp4.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/error.h"

namespace ilt {
namespace {

constexpr std::int64_t bytes_of_block = 16;
constexpr std::array<float, 16> e2m1 = {0.0F,  0.5F,  1.0F,  1.5F,  2.0F,  3.0F,  4.0F,  6.0F,
                                        -0.0F, -0.5F, -1.0F, -1.5F, -2.0F, -3.0F, -4.0F, -6.0F};
constexpr int e8m0_bias = 127;
constexpr std::uint8_t e8m0_nan = 255;

float scale_of(std::byte code) {
  const auto e = std::to_integer<std::uint8_t>(code);
  return e == e8m0_nan ? std::numeric_limits<float>::quiet_NaN() : std::ldexp(1.0F, e - e8m0_bias);
}

}  // namespace

bool is_mxfp4(const Json& config) {
  const auto it = config.find("quantization_config");
  return it != config.end() && it->is_object() && it->value("quant_method", Json()) == "mxfp4";
}

TensorInfo mxfp4_info(const std::string& name, const TensorInfo& blocks, const TensorInfo& scales) {
  const auto& shape = blocks.shape;
  const bool fits = blocks.dtype == DType::u8 && scales.dtype == DType::u8 && shape.size() >= 3 &&
                    shape.back() == bytes_of_block &&
                    scales.shape == std::vector<std::int64_t>(shape.begin(), shape.end() - 1);
  if (!fits) {
    throw Error(
        Status::format,
        fmt::format("'{}{}' ({} {}) and '{}{}' ({} {}) are no MXFP4 matrices: expected U8 [..., out, in / 32, 16] "
                    "and U8 [..., out, in / 32]",
                    name, mxfp4_blocks, dtype_name(blocks.dtype), Json(shape).dump(), name, mxfp4_scales,
                    dtype_name(scales.dtype), Json(scales.shape).dump()),
        {{"tensor", name}});
  }
  TensorInfo info{DType::bf16, {shape.begin(), shape.end() - 3}};
  info.shape.push_back(shape[shape.size() - 2] * 2 * bytes_of_block);
  info.shape.push_back(shape[shape.size() - 3]);
  return info;
}

void read_mxfp4(const TensorView& blocks, const TensorView& scales, std::span<float> out) {
  const auto& shape = scales.info.shape;
  const auto rows = static_cast<std::size_t>(shape[shape.size() - 2]);
  const auto groups = static_cast<std::size_t>(shape.back());
  const std::size_t width = groups * 2 * bytes_of_block;
  for (std::size_t block = 0; block < scales.bytes.size(); ++block) {
    const float scale = scale_of(scales.bytes[block]);
    const auto codes = blocks.bytes.subspan(block * bytes_of_block, bytes_of_block);
    const std::size_t row = block / groups % rows;
    // Transposed: value i of the row is row i's value of this column.
    float* to = out.data() + block / groups / rows * rows * width + (block % groups) * 2 * bytes_of_block * rows + row;
    for (const std::byte code : codes) {
      const auto pair = std::to_integer<std::size_t>(code);
      to[0] = e2m1[pair & 15] * scale;
      to[rows] = e2m1[pair >> 4] * scale;
      to += 2 * rows;
    }
  }
}

}  // namespace ilt
