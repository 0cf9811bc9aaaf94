// The loss that balances the experts' load, against transformers; its weight in a step does not depend on the packing.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"
#include "model/load.h"
#include "weights/convert.h"

namespace ilt {
namespace {

namespace fs = std::filesystem;

const fs::path data = ILT_TEST_DATA;

std::vector<std::int32_t> integers(const TensorView& view, std::int64_t row, std::size_t count) {
  std::vector<std::int64_t> values(count);
  std::memcpy(values.data(), view.bytes.data() + row * view.info.shape[1] * 8, count * 8);
  return {values.begin(), values.end()};
}

// Rows of the model's golden batch in one micro-batch.
MicroBatch batch(const std::string& name, const std::vector<std::int64_t>& rows) {
  const SafetensorsFile golden(data / "models" / name / "golden.safetensors");
  MicroBatchBuilder builder;
  for (const std::int64_t row : rows) {
    const auto length = static_cast<std::size_t>(golden.tensors().at("logits_" + std::to_string(row)).info.shape[0]);
    builder.add(integers(golden.tensors().at("input_ids"), row, length),
                integers(golden.tensors().at("labels"), row, length));
  }
  return builder.build(at::kCPU);
}

std::unique_ptr<Decoder> load(const std::string& name) {
  auto decoder = load_decoder(open_model(data / "models" / name), at::kCPU);
  decoder->prepare_training(64);
  return decoder;
}

class LoadBalanceGolden : public testing::TestWithParam<std::string> {};

TEST_P(LoadBalanceGolden, LossAndGradientsEqualTransformers) {
  const Json facts = parse_json(read_file(data / "router_loss/router_loss.json"), "router_loss.json");
  const SafetensorsFile gradients(data / "router_loss/router_loss.safetensors");
  const auto decoder = load(GetParam());
  const MicroBatch row = batch(GetParam(), {0});
  const auto targets = static_cast<double>(row.target_count());
  const auto tokens = static_cast<double>(row.tokens());
  const BatchSums sums =
      decoder->forward_backward(row, {.router_loss = facts["weight"].get<double>() * targets / tokens});
  EXPECT_NEAR(sums.router / tokens, facts["losses"][GetParam()].get<double>(), 1e-5);
  int compared = 0;
  for (const Parameter& p : decoder->parameters().all()) {
    for (const StoredTensor& s : p.stored) {
      const auto it = gradients.tensors().find(GetParam() + "/" + s.name);
      if (it == gradients.tensors().end()) continue;
      at::Tensor expected = at::empty(it->second.info.shape, at::kFloat);
      to_float(it->second, {expected.mutable_data_ptr<float>(), static_cast<std::size_t>(expected.numel())});
      const at::Tensor found = stored_view(p.grad, s).reshape(s.shape) / targets;
      EXPECT_LT(((found - expected).abs().max() / expected.abs().max()).item<double>(), 2e-5) << s.name;
      ++compared;
    }
  }
  EXPECT_GE(compared, 2);
}

INSTANTIATE_TEST_SUITE_P(Families, LoadBalanceGolden,
                         testing::Values("mixtral", "qwen2_moe", "qwen3_moe", "granite_moe", "olmoe", "gpt_oss"),
                         [](const auto& test) { return test.param; });

TEST(LoadBalance, IsEachSamplesOwn) {
  const auto together = load("mixtral");
  const auto apart = load("mixtral");
  const BatchSums both = together->forward_backward(batch("mixtral", {0, 1}), {.router_loss = 0.3});
  const BatchSums first = apart->forward_backward(batch("mixtral", {0}), {.router_loss = 0.3});
  const BatchSums second = apart->forward_backward(batch("mixtral", {1}), {.router_loss = 0.3});
  EXPECT_NEAR(first.router + second.router, both.router, 1e-4);
  for (std::size_t i = 0; i < together->parameters().all().size(); ++i) {
    const Parameter& p = together->parameters().all()[i];
    const at::Tensor difference = apart->parameters().all()[i].grad - p.grad;
    EXPECT_LT((difference.abs().max() / p.grad.abs().max()).item<double>(), 2e-5) << p.name;
  }
}

TEST(LoadBalance, IsNotComputedWhereItIsNotAskedFor) {
  EXPECT_EQ(load("mixtral")->forward_backward(batch("mixtral", {0})).router, 0);
}

}  // namespace
}  // namespace ilt
