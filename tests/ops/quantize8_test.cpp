// 8-bit quantisation: the code, the plain form against the loops, and the error.
#include "ops/quantize8.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace ilt::ops {
namespace {

at::Tensor random(std::int64_t n) {
  at::Tensor x = at::empty({n});
  float* p = x.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < n; ++i)
    p[i] =
        static_cast<float>(std::sin(0.7 * static_cast<double>(i * i % 1009)) * std::exp(-static_cast<double>(i % 13)));
  return x;
}

struct Packed {
  explicit Packed(std::int64_t n) : codes(at::zeros({n}, at::kByte)), scales(at::zeros({(n + 255) / 256})) {}
  at::Tensor codes, scales;
};

TEST(Quantize8, TheCodeIsAscendingAndHoldsZeroAndOne) {
  for (const Code8 code : {Code8::with_sign, Code8::without_sign}) {
    const auto& values = dynamic_code(code);
    EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
    EXPECT_EQ(std::adjacent_find(values.begin(), values.end()), values.end());
    EXPECT_EQ(values.back(), 1.0F);
    EXPECT_NE(std::find(values.begin(), values.end(), 0.0F), values.end());
    EXPECT_EQ(values.front() < 0, code == Code8::with_sign);
  }
}

TEST(Quantize8, PlainAndLoopsAgreeAndComeNear) {
  for (const std::int64_t n : {1, 255, 256, 257, 5000}) {
    for (const Code8 code : {Code8::with_sign, Code8::without_sign}) {
      const at::Tensor x = code == Code8::with_sign ? random(n) : random(n).abs();
      Packed a(n);
      Packed b(n);
      quantize8(code, x, a.codes, a.scales);
      plain::quantize8(code, x, b.codes, b.scales);
      EXPECT_TRUE(at::equal(a.codes, b.codes));
      EXPECT_TRUE(at::equal(a.scales, b.scales));
      const at::Tensor back = at::empty_like(x);
      const at::Tensor plain_back = at::empty_like(x);
      dequantize8(code, a.codes, a.scales, back);
      plain::dequantize8(code, b.codes, b.scales, plain_back);
      EXPECT_TRUE(at::equal(back, plain_back));
      // The widest gap is a 64th of 0.9 (a 128th without a sign), or lies between the uppermost value and 1.
      EXPECT_LT((back - x).abs().max().item<double>(), 0.9 / (code == Code8::with_sign ? 64 : 128));
    }
  }
}

TEST(Quantize8, ZerosStayZeros) {
  Packed packed(300);
  at::Tensor x = at::zeros({300});
  quantize8(Code8::with_sign, x, packed.codes, packed.scales);
  x.fill_(1);
  dequantize8(Code8::with_sign, packed.codes, packed.scales, x);
  EXPECT_TRUE(x.eq(0).all().item<bool>());
}

}  // namespace
}  // namespace ilt::ops
