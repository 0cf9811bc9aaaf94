// Conversion of element types, value by value, in loops that vectorise.
#include "weights/convert.h"

#include <bit>
#include <cstdint>
#include <cstring>

#include "base/error.h"

namespace ilt {
namespace {

float from_bf16(std::uint16_t x) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(x) << 16);
}

std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
  const bool nan = (bits & 0x7fffffffU) > 0x7f800000U;
  return static_cast<std::uint16_t>(nan ? (bits >> 16) | 0x40U : rounded);
}

// IEEE half: subnormals through a multiplication that the fp32 unit does exactly.
float from_f16(std::uint16_t x) {
  const std::uint32_t sign = static_cast<std::uint32_t>(x & 0x8000U) << 16;
  const std::uint32_t magnitude = static_cast<std::uint32_t>(x & 0x7fffU) << 13;
  const float scaled = std::bit_cast<float>(magnitude) * 0x1p112F;
  const bool special = (x & 0x7c00U) == 0x7c00U;
  const std::uint32_t bits = special ? magnitude | 0x7f800000U : std::bit_cast<std::uint32_t>(scaled);
  return std::bit_cast<float>(bits | sign);
}

// All cases are computed and one is selected, so that the loop has no branches.
std::uint16_t to_f16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  const std::uint32_t normal = (magnitude - 0x38000000U + 0xfffU + ((magnitude >> 13) & 1U)) >> 13;
  // Subnormal in half: the fp32 adder rounds it.
  const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3f000000U;
  std::uint32_t half = magnitude < 0x38800000U ? subnormal : normal;
  half = magnitude >= 0x477ff000U ? 0x7c00U : half;  // rounds to infinity
  half = magnitude > 0x7f800000U ? 0x7e00U : half;   // NaN
  return static_cast<std::uint16_t>(sign | half);
}

template <typename Stored, typename F>
void read_each(std::span<const std::byte> bytes, std::span<float> out, F convert) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    Stored value;
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    out[i] = convert(value);
  }
}

template <typename F>
void write_each(std::span<const float> values, std::span<std::byte> out, F convert) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint16_t value = convert(values[i]);
    std::memcpy(out.data() + i * sizeof value, &value, sizeof value);
  }
}

}  // namespace

void to_float(const TensorView& view, std::span<float> out) {
  if (out.size() != static_cast<std::size_t>(view.info.numel()))
    fail(Status::internal, "to_float: {} values for a tensor of {}", out.size(), view.info.numel());
  if (out.empty()) return;  // memcpy takes no null pointers
  switch (view.info.dtype) {
    case DType::f32:
      std::memcpy(out.data(), view.bytes.data(), view.bytes.size());
      return;
    case DType::bf16:
      read_each<std::uint16_t>(view.bytes, out, from_bf16);
      return;
    case DType::f16:
      read_each<std::uint16_t>(view.bytes, out, from_f16);
      return;
    case DType::f64:
      read_each<double>(view.bytes, out, [](double x) { return static_cast<float>(x); });
      return;
    default:
      fail(Status::unsupported, "weights of type {} cannot be trained; libilt reads F32, BF16, F16 and F64",
           dtype_name(view.info.dtype));
  }
}

void from_float(std::span<const float> values, DType dtype, std::span<std::byte> out) {
  if (out.size() != values.size() * dtype_size(dtype))
    fail(Status::internal, "from_float: {} bytes for {} values of {}", out.size(), values.size(), dtype_name(dtype));
  if (values.empty()) return;
  switch (dtype) {
    case DType::f32:
      std::memcpy(out.data(), values.data(), values.size_bytes());
      return;
    case DType::bf16:
      write_each(values, out, to_bf16);
      return;
    case DType::f16:
      write_each(values, out, to_f16);
      return;
    default:
      fail(Status::unsupported, "weights cannot be written as {}; libilt writes F32, BF16 and F16", dtype_name(dtype));
  }
}

}  // namespace ilt
