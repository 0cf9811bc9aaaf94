// Element type conversion: rounding to nearest even, subnormals, infinities, NaN.
#include "weights/convert.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/files.h"

namespace ilt {
namespace {

std::uint16_t stored(float value, DType dtype) {
  std::uint16_t bits = 0;
  from_float({&value, 1}, dtype, std::as_writable_bytes(std::span(&bits, 1)));
  return bits;
}

float loaded(std::uint16_t bits, DType dtype) {
  float value = 0;
  to_float({{dtype, {1}}, std::as_bytes(std::span(&bits, 1))}, {&value, 1});
  return value;
}

TEST(Convert, EveryBf16AndHalfSurvivesTheWayToFp32AndBack) {
  for (const DType dtype : {DType::bf16, DType::f16}) {
    for (int i = 0; i < 0x10000; ++i) {
      const auto bits = static_cast<std::uint16_t>(i);
      const float value = loaded(bits, dtype);
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(loaded(stored(value, dtype), dtype)));
      } else {
        EXPECT_EQ(stored(value, dtype), bits);
      }
    }
  }
}

TEST(Convert, RoundsToNearestEven) {
  EXPECT_EQ(stored(1.0F + 0x1p-8F, DType::bf16), 0x3f80);  // half way: to even
  EXPECT_EQ(stored(1.0F + 0x3p-8F, DType::bf16), 0x3f82);  // half way: to even
  EXPECT_EQ(stored(1.0F + 0x1.02p-8F, DType::bf16), 0x3f81);
  EXPECT_EQ(stored(1.0F + 0x1p-11F, DType::f16), 0x3c00);
  EXPECT_EQ(stored(1.0F + 0x3p-11F, DType::f16), 0x3c02);
  EXPECT_EQ(stored(65519.0F, DType::f16), 0x7bff);
  EXPECT_EQ(stored(65520.0F, DType::f16), 0x7c00);
  EXPECT_EQ(stored(0x1p-24F, DType::f16), 0x0001);
  EXPECT_EQ(stored(0x1p-25F, DType::f16), 0x0000);
  EXPECT_EQ(stored(-0x1.8p-24F, DType::f16), 0x8002);
  EXPECT_EQ(stored(std::numeric_limits<float>::max(), DType::bf16), 0x7f80);
}

TEST(Convert, KnownValues) {
  EXPECT_EQ(loaded(0x3555, DType::f16), 0.333251953125F);
  EXPECT_EQ(loaded(0x03ff, DType::f16), 0x3ffp-24F);
  EXPECT_EQ(loaded(0x4049, DType::bf16), 3.140625F);
  const double pi = 3.14159265358979;
  float value = 0;
  to_float({{DType::f64, {1}}, std::as_bytes(std::span(&pi, 1))}, {&value, 1});
  EXPECT_EQ(value, 3.14159265F);
}

TEST(Convert, RoundsAsTorch) {
  const fs::path path = fs::path(ILT_TEST_DATA) / "weights" / "rounding.json";
  const Json golden = parse_json(read_file(path), path.string());
  for (std::size_t i = 0; i < golden["F32"].size(); ++i) {
    const auto word = [&](const char* dtype) { return std::stoul(golden[dtype][i].get<std::string>(), nullptr, 16); };
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(word("F32")));
    EXPECT_EQ(stored(value, DType::bf16), word("BF16")) << golden["F32"][i];
    EXPECT_EQ(stored(value, DType::f16), word("F16")) << golden["F32"][i];
  }
}

TEST(Convert, NanStaysNanWithItsSign) {
  for (const std::uint32_t bits : {0x7f800001U, 0x7fc00000U, 0x7fffffffU, 0xff800001U, 0xffffffffU}) {
    const auto nan = std::bit_cast<float>(bits);
    for (const DType dtype : {DType::bf16, DType::f16}) {
      const float back = loaded(stored(nan, dtype), dtype);
      EXPECT_TRUE(std::isnan(back)) << bits;
      EXPECT_EQ(std::signbit(back), std::signbit(nan)) << bits;
    }
  }
}

TEST(Convert, SizesMustAgree) {
  const std::vector<float> values(3);
  std::vector<std::byte> bytes(7);
  EXPECT_THROW(from_float(values, DType::bf16, bytes), Error);
  std::vector<float> out(2);
  EXPECT_THROW(to_float({{DType::f32, {3}}, std::as_bytes(std::span(values))}, out), Error);
}

TEST(Convert, IntegersAreRefused) {
  const std::int64_t one = 1;
  float value = 0;
  EXPECT_THROW(to_float({{DType::i64, {1}}, std::as_bytes(std::span(&one, 1))}, {&value, 1}), Error);
}

}  // namespace
}  // namespace ilt
