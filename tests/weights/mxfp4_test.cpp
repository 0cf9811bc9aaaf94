// MXFP4 weights against what transformers dequantises, and against files that are broken.
#include "weights/mxfp4.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "weights/convert.h"
#include "weights/model_source.h"

namespace ilt {
namespace {

const fs::path golden = fs::path(ILT_TEST_DATA) / "mxfp4";
const std::string experts = "model.layers.0.mlp.experts.";

std::vector<float> values(const SafetensorsFile& file, const std::string& name) {
  const TensorView& view = file.tensors().at(name);
  std::vector<float> out(static_cast<std::size_t>(view.info.numel()));
  to_float(view, out);
  return out;
}

TEST(Mxfp4, GivesTheValuesThatTransformersGives) {
  const ModelSource model = open_model(golden);
  const SafetensorsFile expected(golden / "expected.safetensors");
  for (const std::string name : {"gate_up_proj", "down_proj"}) {
    const SourceTensor& tensor = model.tensors().at(experts + name);
    EXPECT_EQ(tensor.info.shape, expected.tensors().at(name).info.shape);
    EXPECT_EQ(tensor.info.dtype, DType::bf16);
    std::vector<float> found(static_cast<std::size_t>(tensor.info.numel()));
    tensor.read(found);
    EXPECT_EQ(found, values(expected, name)) << name;
  }
}

TEST(Mxfp4, LeavesNoTraceOfTheQuantisation) {
  const ModelSource model = open_model(golden);
  EXPECT_FALSE(model.config().contains("quantization_config"));
  EXPECT_EQ(model.files().read("config.json").find("quantization_config"), std::string::npos);
  for (const auto& [name, tensor] : model.tensors())
    EXPECT_TRUE(!name.ends_with("_blocks") && !name.ends_with("_scales")) << name;
}

TEST(Mxfp4, EveryCodeAndTheScalesAtTheEnds) {
  std::vector<std::byte> codes;
  for (int pair = 0; pair < 16; ++pair) codes.push_back(static_cast<std::byte>(pair | (15 - pair) << 4));
  const auto read = [&](int scale) {
    const std::byte scales[] = {static_cast<std::byte>(scale)};
    std::vector<float> out(32);
    read_mxfp4({{DType::u8, {1, 1, 16}}, codes}, {{DType::u8, {1, 1}}, scales}, out);
    return out;
  };
  const float known[] = {0.0F, 0.5F, 1.0F, 1.5F, 2.0F, 3.0F, 4.0F, 6.0F};
  const std::vector<float> out = read(128);
  for (std::size_t i = 0; i < 16; ++i) {
    const std::size_t upper = 15 - i;
    EXPECT_EQ(out[2 * i], 2 * known[i % 8] * (i < 8 ? 1.0F : -1.0F));
    EXPECT_EQ(out[2 * i + 1], 2 * known[upper % 8] * (upper < 8 ? 1.0F : -1.0F));
  }
  EXPECT_EQ(read(0)[2], 0x1p-128F);  // half of 2^-127
  EXPECT_TRUE(std::isnan(read(255)[2]));
}

TEST(Mxfp4, RefusesBlocksAndScalesThatDoNotBelongTogether) {
  const auto refused = [](const TensorInfo& blocks, const TensorInfo& scales) {
    try {
      mxfp4_info("experts.up", blocks, scales);
    } catch (const Error& error) {
      return std::string(error.what()).find("experts.up") != std::string::npos && error.status() == Status::format;
    }
    return false;
  };
  EXPECT_EQ(mxfp4_info("a", {DType::u8, {3, 8, 2, 16}}, {DType::u8, {3, 8, 2}}).shape,
            (std::vector<std::int64_t>{3, 64, 8}));
  EXPECT_TRUE(refused({DType::u8, {3, 8, 2, 15}}, {DType::u8, {3, 8, 2}}));
  EXPECT_TRUE(refused({DType::u8, {3, 8, 2, 16}}, {DType::u8, {3, 8, 3}}));
  EXPECT_TRUE(refused({DType::u8, {3, 8, 2, 16}}, {DType::u8, {8, 2}}));
  EXPECT_TRUE(refused({DType::bf16, {3, 8, 2, 16}}, {DType::u8, {3, 8, 2}}));
  EXPECT_TRUE(refused({DType::u8, {2, 16}}, {DType::u8, {2}}));
}

}  // namespace
}  // namespace ilt
