// The block types of ggml (ggml-quants): a scale, sometimes a minimum, and small integers.
#include "weights/gguf/dequantise.h"

#include <array>
#include <cstdint>
#include <cstring>

#include "base/error.h"
#include "weights/convert.h"

namespace ilt {
namespace {

using Bytes = const std::uint8_t*;

float half(Bytes at) {
  float value = 0;
  to_float({{DType::f16, {1}}, {reinterpret_cast<const std::byte*>(at), 2}}, {&value, 1});
  return value;
}

float low(std::uint8_t byte) {
  return static_cast<float>(byte & 0xf);
}

float high(std::uint8_t byte) {
  return static_cast<float>(byte >> 4);
}

void q8_0(Bytes block, float* out) {
  const float scale = half(block);
  for (int i = 0; i < 32; ++i) out[i] = scale * static_cast<float>(static_cast<std::int8_t>(block[2 + i]));
}

// Values i and i + 16 share a byte.
void q4_0(Bytes block, float* out) {
  const float scale = half(block);
  for (int i = 0; i < 16; ++i) {
    out[i] = scale * (low(block[2 + i]) - 8.0F);
    out[i + 16] = scale * (high(block[2 + i]) - 8.0F);
  }
}

void q4_1(Bytes block, float* out) {
  const float scale = half(block);
  const float least = half(block + 2);
  for (int i = 0; i < 16; ++i) {
    out[i] = scale * low(block[4 + i]) + least;
    out[i + 16] = scale * high(block[4 + i]) + least;
  }
}

// The fifth bits of all values are one number.
float fifth(Bytes bits, int i) {
  std::uint32_t all = 0;
  std::memcpy(&all, bits, sizeof all);
  return static_cast<float>((all >> i & 1U) << 4);
}

void q5_0(Bytes block, float* out) {
  const float scale = half(block);
  for (int i = 0; i < 16; ++i) {
    out[i] = scale * (low(block[6 + i]) + fifth(block + 2, i) - 16.0F);
    out[i + 16] = scale * (high(block[6 + i]) + fifth(block + 2, i + 16) - 16.0F);
  }
}

void q5_1(Bytes block, float* out) {
  const float scale = half(block);
  const float least = half(block + 2);
  for (int i = 0; i < 16; ++i) {
    out[i] = scale * (low(block[8 + i]) + fifth(block + 4, i)) + least;
    out[i + 16] = scale * (high(block[8 + i]) + fifth(block + 4, i + 16)) + least;
  }
}

struct ScaleAndLeast {
  float scale, least;
};

// Eight scales and eight minima of 6 bits each, packed into 12 bytes; those of group j of 32 values.
ScaleAndLeast k_scales(Bytes block, int j) {
  const float scale = half(block);
  const float least = half(block + 2);
  const Bytes packed = block + 4;
  const int s = j < 4 ? packed[j] & 63 : (packed[j + 4] & 0xf) | (packed[j - 4] >> 6 << 4);
  const int m = j < 4 ? packed[j + 4] & 63 : (packed[j + 4] >> 4) | (packed[j] >> 6 << 4);
  return {scale * static_cast<float>(s), least * static_cast<float>(m)};
}

void q4_k(Bytes block, float* out) {
  for (int j = 0; j < 8; ++j) {
    const auto [scale, least] = k_scales(block, j);
    const Bytes packed = block + 16 + j / 2 * 32;
    for (int i = 0; i < 32; ++i) out[j * 32 + i] = scale * (j % 2 == 0 ? low(packed[i]) : high(packed[i])) - least;
  }
}

void q5_k(Bytes block, float* out) {
  for (int j = 0; j < 8; ++j) {
    const auto [scale, least] = k_scales(block, j);
    const Bytes packed = block + 48 + j / 2 * 32;
    for (int i = 0; i < 32; ++i) {
      const auto bit = static_cast<float>((block[16 + i] >> j & 1) << 4);
      out[j * 32 + i] = scale * ((j % 2 == 0 ? low(packed[i]) : high(packed[i])) + bit) - least;
    }
  }
}

// Two halves of 128 values: four bits of each in ql, two in qh, a scale for every 16.
void q6_k(Bytes block, float* out) {
  const float scale = half(block + 208);
  for (int i = 0; i < 256; ++i) {
    const int part = i / 128;
    const int group = i % 128 / 32;  // of 32, which share bytes with other groups
    const std::uint8_t four = block[part * 64 + group % 2 * 32 + i % 32];
    const int two = block[128 + part * 32 + i % 32] >> (2 * group) & 3;
    const float value = (group < 2 ? low(four) : high(four)) + static_cast<float>(two << 4) - 32.0F;
    out[i] = scale * static_cast<float>(static_cast<std::int8_t>(block[192 + i / 16])) * value;
  }
}

struct BlockDecoder {
  GgufTensorType type;
  void (*block)(Bytes block, float* out);
};

constexpr std::array decoders = {BlockDecoder{GgufTensorType::q8_0, q8_0}, BlockDecoder{GgufTensorType::q4_0, q4_0},
                                 BlockDecoder{GgufTensorType::q4_1, q4_1}, BlockDecoder{GgufTensorType::q5_0, q5_0},
                                 BlockDecoder{GgufTensorType::q5_1, q5_1}, BlockDecoder{GgufTensorType::q4_k, q4_k},
                                 BlockDecoder{GgufTensorType::q5_k, q5_k}, BlockDecoder{GgufTensorType::q6_k, q6_k}};

void convert(DType dtype, std::span<const std::byte> values, std::span<float> out) {
  to_float({{dtype, {static_cast<std::int64_t>(out.size())}}, values}, out);
}

}  // namespace

void dequantise(GgufTensorType type, std::span<const std::byte> blocks, std::span<float> out) {
  const GgufTensorLayout& layout = gguf_layout(type);
  if (blocks.size() / layout.block_bytes * layout.block_values != out.size() || blocks.size() % layout.block_bytes != 0)
    fail(Status::internal, "dequantise: {} bytes of {} for {} values", blocks.size(), layout.name, out.size());
  switch (type) {
    case GgufTensorType::f32:
      return convert(DType::f32, blocks, out);
    case GgufTensorType::f16:
      return convert(DType::f16, blocks, out);
    case GgufTensorType::bf16:
      return convert(DType::bf16, blocks, out);
    case GgufTensorType::f64:
      return convert(DType::f64, blocks, out);
    default:
      break;
  }
  for (const BlockDecoder& decoder : decoders) {
    if (decoder.type != type) continue;
    const auto* bytes = reinterpret_cast<Bytes>(blocks.data());
    for (std::size_t done = 0; done < out.size(); done += layout.block_values, bytes += layout.block_bytes)
      decoder.block(bytes, out.data() + done);
    return;
  }
  fail(Status::unsupported, "weights of type {} are not read; libilt reads {}", layout.name, gguf_readable_types());
}

}  // namespace ilt
