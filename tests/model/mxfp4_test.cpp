// A model with MXFP4 experts computes what transformers computes with them dequantised.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <vector>

#include "model/load.h"
#include "weights/convert.h"

namespace ilt {
namespace {

TEST(Mxfp4Model, LogitsEqualTransformers) {
  const std::filesystem::path folder = std::filesystem::path(ILT_TEST_DATA) / "mxfp4";
  const SafetensorsFile golden(folder / "expected.safetensors");
  const TensorView& stored = golden.tensors().at("input_ids");
  std::vector<std::int64_t> wide(static_cast<std::size_t>(stored.info.numel()));
  std::memcpy(wide.data(), stored.bytes.data(), stored.bytes.size());
  const std::vector<std::int32_t> ids(wide.begin(), wide.end());
  MicroBatchBuilder builder;
  builder.add(ids, ids);
  const at::Tensor found = load_decoder(open_model(folder), at::kCPU)->logits(builder.build(at::kCPU));
  at::Tensor expected = at::empty(golden.tensors().at("logits").info.shape, at::kFloat);
  to_float(golden.tensors().at("logits"),
           {expected.mutable_data_ptr<float>(), static_cast<std::size_t>(expected.numel())});
  EXPECT_LT(((found - expected).abs().max() / expected.abs().max()).item<double>(), 2e-5);
}

}  // namespace
}  // namespace ilt
