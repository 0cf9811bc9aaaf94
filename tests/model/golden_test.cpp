// Tiny Llama checkpoints against transformers: logits, loss, every gradient, and the losses of five AdamW steps.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"
#include "model/load.h"
#include "ops/adamw.h"
#include "weights/convert.h"

namespace ilt {
namespace {

namespace fs = std::filesystem;

constexpr double tolerance = 1e-5;  // of the tensor's largest value

struct Golden {
  explicit Golden(const std::string& name)
      : path(fs::path(ILT_TEST_DATA) / "llama" / name),
        results(path / "golden.safetensors"),
        gradients(path / "grads.safetensors"),
        facts(parse_json(read_file(path / "golden.json"), "golden.json")) {}

  fs::path path;
  SafetensorsFile results, gradients;
  Json facts;
};

at::Tensor to_tensor(const TensorView& view) {
  at::Tensor t = at::empty(view.info.shape, at::kFloat);
  to_float(view, {t.mutable_data_ptr<float>(), static_cast<std::size_t>(t.numel())});
  return t;
}

// The golden rows without their padding, as one packed batch.
MicroBatch packed_rows(const Golden& golden) {
  const auto integers = [&](const char* name) {
    const TensorView& view = golden.results.tensors().at(name);
    EXPECT_EQ(view.info.dtype, DType::i64);
    return at::from_blob(const_cast<std::byte*>(view.bytes.data()), view.info.shape, at::kLong).to(at::kInt);
  };
  const at::Tensor ids = integers("input_ids");
  const at::Tensor labels = integers("labels");
  MicroBatchBuilder builder;
  for (std::int64_t row = 0; row < ids.size(0); ++row) {
    const auto length =
        static_cast<std::size_t>(golden.results.tensors().at("logits_" + std::to_string(row)).info.shape[0]);
    builder.add({ids[row].const_data_ptr<int>(), length}, {labels[row].const_data_ptr<int>(), length});
  }
  return builder.build(at::kCPU);
}

double distance(const at::Tensor& found, const at::Tensor& expected) {
  return ((found - expected).abs().max() / expected.abs().max()).item<double>();
}

class LlamaLogits : public testing::TestWithParam<std::string> {};
class LlamaGolden : public testing::TestWithParam<std::string> {};

TEST_P(LlamaLogits, EqualTransformers) {
  const Golden golden(GetParam());
  const auto decoder = load_decoder(ModelFolder(golden.path), at::kCPU);
  const MicroBatch batch = packed_rows(golden);
  const at::Tensor logits = decoder->logits(batch);
  for (std::size_t row = 0; row + 1 < batch.starts.size(); ++row) {
    // Dynamic scaling depends on a sample's length; transformers takes the batch's longest, so rows alone are compared.
    const std::string alone = "alone_" + std::to_string(row);
    const std::string name = golden.results.tensors().contains(alone) ? alone : "logits_" + std::to_string(row);
    const at::Tensor expected = to_tensor(golden.results.tensors().at(name));
    EXPECT_LT(distance(logits.slice(0, batch.starts[row], batch.starts[row + 1]), expected), tolerance);
  }
}

TEST_P(LlamaGolden, LossAndEveryGradientEqualTransformers) {
  const Golden golden(GetParam());
  const auto decoder = load_decoder(ModelFolder(golden.path), at::kCPU);
  const MicroBatch batch = packed_rows(golden);
  decoder->prepare_training(batch.tokens());
  const double loss = decoder->forward_backward(batch).loss / static_cast<double>(batch.target_count());
  EXPECT_NEAR(loss, golden.facts["loss"].get<double>(), tolerance);
  std::size_t compared = 0;
  for (const Parameter& p : decoder->parameters().all()) {
    for (const StoredTensor& s : p.stored) {
      const at::Tensor expected = to_tensor(golden.gradients.tensors().at(s.name));
      const at::Tensor found = p.grad.narrow(0, s.row_begin, s.shape[0]) / static_cast<double>(batch.target_count());
      EXPECT_LT(distance(found, expected), tolerance) << s.name;
      ++compared;
    }
  }
  EXPECT_EQ(compared, golden.gradients.tensors().size());
}

TEST_P(LlamaGolden, LossesOfFiveAdamWStepsEqualTorch) {
  const Golden golden(GetParam());
  const auto decoder = load_decoder(ModelFolder(golden.path), at::kCPU);
  const MicroBatch batch = packed_rows(golden);
  const auto targets = static_cast<double>(batch.target_count());
  decoder->prepare_training(batch.tokens());
  std::vector<std::pair<at::Tensor, at::Tensor>> moments;
  for (const Parameter& p : decoder->parameters().all())
    moments.emplace_back(at::zeros_like(p.value), at::zeros_like(p.value));
  const Json& losses = golden.facts["losses"];
  for (std::size_t step = 0; step < losses.size(); ++step) {
    decoder->parameters().zero_gradients();
    EXPECT_NEAR(decoder->forward_backward(batch).loss / targets, losses[step].get<double>(), tolerance)
        << "step " << step;
    std::size_t i = 0;
    for (const Parameter& p : decoder->parameters().all()) {
      const auto& [m, v] = moments[i++];
      ops::adamw({.lr = 1e-3,
                  .beta1 = 0.9,
                  .beta2 = 0.999,
                  .eps = 1e-8,
                  .weight_decay = 0.1,
                  .grad_scale = 1.0 / targets,
                  .step = static_cast<std::int64_t>(step) + 1},
                 p.value, p.grad, m, v);
    }
  }
}

const auto names = [](const testing::TestParamInfo<std::string>& info) { return info.param; };
INSTANTIATE_TEST_SUITE_P(Layouts, LlamaLogits,
                         testing::Values("gqa_untied", "tied", "mha_headdim", "bias", "bf16", "rope_linear",
                                         "rope_linear_old_keys", "rope_dynamic", "rope_yarn", "rope_llama3",
                                         "rope_llama3_old_keys"),
                         names);
INSTANTIATE_TEST_SUITE_P(Layouts, LlamaGolden,
                         testing::Values("gqa_untied", "tied", "mha_headdim", "bias", "bf16", "rope_linear",
                                         "rope_linear_old_keys", "rope_yarn", "rope_llama3", "rope_llama3_old_keys"),
                         names);

}  // namespace
}  // namespace ilt
