// 8-bit quantisation: the code, the plain forms, and loops for the CPU.
#include "ops/quantize8.h"

#include <ATen/ops/bucketize.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/where.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ilt::ops {
namespace {

constexpr std::int64_t block = quantize8_block;

struct Tables {
  std::array<float, 256> values{};
  std::array<float, 256> limits{};  // between neighbours; the last is never passed
};

// Section 2.2 of the paper, as in bitsandbytes' create_dynamic_map: a decade's values lie in the middle of equal parts
// of 0.1 to 1, and there are 2^i parts (twice that without a sign) in the i-th; 0 and 1 complete it.
Tables make_tables(Code8 code) {
  std::vector<double> values = {0.0, 1.0};
  for (int i = 0; i < 7; ++i) {
    const int parts = 1 << (code == Code8::with_sign ? i : i + 1);
    for (int part = 0; part < parts; ++part) {
      const double value = std::pow(10.0, i - 6) * (0.1 + 0.9 * (part + 0.5) / parts);
      values.push_back(value);
      if (code == Code8::with_sign) values.push_back(-value);
    }
  }
  std::sort(values.begin(), values.end());
  Tables tables;
  std::transform(values.begin(), values.end(), tables.values.begin(), [](double v) { return static_cast<float>(v); });
  for (std::size_t i = 0; i + 1 < 256; ++i) tables.limits[i] = (tables.values[i] + tables.values[i + 1]) / 2.0F;
  tables.limits[255] = std::numeric_limits<float>::infinity();
  return tables;
}

const Tables& tables_of(Code8 code) {
  static const Tables with_sign = make_tables(Code8::with_sign);
  static const Tables without_sign = make_tables(Code8::without_sign);
  return code == Code8::with_sign ? with_sign : without_sign;
}

// As a tensor where x is.
Tensor table_tensor(const std::array<float, 256>& table, std::int64_t count, const Tensor& like) {
  return at::from_blob(const_cast<float*>(table.data()), {count}, at::kFloat).to(like.device());
}

// In whole blocks, filled up with zeros.
Tensor in_blocks(const Tensor& x) {
  return at::constant_pad_nd(x, {0, (block - x.numel() % block) % block}).view({-1, block});
}

// The number of limits below x: a search without branches, as 256 is a power of two.
std::uint8_t nearest_code(const std::array<float, 256>& limits, float x) {
  std::uint32_t code = 0;
  for (std::uint32_t step = 128; step > 0; step /= 2) code += limits[code + step - 1] < x ? step : 0;
  return static_cast<std::uint8_t>(code);
}

// A block of zeros has the scale 0, which nothing can be divided by.
float divisor(float scale) {
  return scale > 0 ? scale : 1.0F;
}

}  // namespace

const std::array<float, 256>& dynamic_code(Code8 code) {
  return tables_of(code).values;
}

void plain::quantize8(Code8 code, const Tensor& x, Tensor codes, Tensor scales) {
  const Tensor blocks = in_blocks(x);
  scales.copy_(blocks.abs().amax(1));
  const Tensor divisors = at::where(scales > 0, scales, 1.0).unsqueeze(1);
  const Tensor limits = table_tensor(tables_of(code).limits, 255, x);
  codes.copy_(at::bucketize(blocks / divisors, limits).view({-1}).narrow(0, 0, x.numel()));
}

void plain::dequantize8(Code8 code, const Tensor& codes, const Tensor& scales, Tensor x) {
  const Tensor values = table_tensor(tables_of(code).values, 256, x).index_select(0, codes.to(at::kInt));
  x.copy_((in_blocks(values) * scales.unsqueeze(1)).view({-1}).narrow(0, 0, x.numel()));
}

void quantize8(Code8 code, const Tensor& x, Tensor codes, Tensor scales) {
  if (!has_cpu_kernel({&x, &scales})) return plain::quantize8(code, x, codes, scales);
  const auto& limits = tables_of(code).limits;
  const float* in = x.const_data_ptr<float>();
  auto* out = codes.mutable_data_ptr<std::uint8_t>();
  auto* scale = scales.mutable_data_ptr<float>();
  for (std::int64_t begin = 0; begin < x.numel(); begin += block) {
    const std::int64_t end = std::min(begin + block, x.numel());
    float largest = 0;
    for (std::int64_t i = begin; i < end; ++i) largest = std::max(largest, std::fabs(in[i]));
    *scale++ = largest;
    const float by = divisor(largest);
    for (std::int64_t i = begin; i < end; ++i) out[i] = nearest_code(limits, in[i] / by);
  }
}

void dequantize8(Code8 code, const Tensor& codes, const Tensor& scales, Tensor x) {
  if (!has_cpu_kernel({&x, &scales})) return plain::dequantize8(code, codes, scales, x);
  const auto& values = tables_of(code).values;
  const auto* in = codes.const_data_ptr<std::uint8_t>();
  const auto* scale = scales.const_data_ptr<float>();
  float* out = x.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < x.numel(); ++i) out[i] = values[in[i]] * scale[i / block];
}

}  // namespace ilt::ops
