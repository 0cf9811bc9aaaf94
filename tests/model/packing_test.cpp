// Properties of packed training: packing changes nothing, decoding with a cache equals the whole pass.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/rng.h"
#include "model/load.h"

namespace ilt {
namespace {

struct Row {
  std::vector<std::int32_t> ids, labels;
};

std::vector<Row> random_rows(std::initializer_list<int> lengths) {
  SplitMix64 rng(3);
  std::vector<Row> rows;
  for (const int n : lengths) {
    Row row;
    for (int i = 0; i < n; ++i) {
      row.ids.push_back(static_cast<std::int32_t>(rng.below(256)));
      row.labels.push_back(rng.below(3) == 0 ? -100 : row.ids.back());
    }
    rows.push_back(row);
  }
  return rows;
}

std::unique_ptr<Decoder> load(const char* name) {
  return load_decoder(open_model(std::filesystem::path(ILT_TEST_DATA) / "llama" / name), at::kCPU);
}

MicroBatch pack(const std::vector<Row>& rows) {
  MicroBatchBuilder builder;
  for (const Row& r : rows) builder.add(r.ids, r.labels);
  return builder.build(at::kCPU);
}

TEST(Packing, LossAndGradientsDoNotDependOnIt) {
  const auto rows = random_rows({70, 1, 33, 128, 2, 90});
  const auto together = load("gqa_untied");
  together->prepare_training(1000);
  const double loss = together->forward_backward(pack(rows)).loss;
  const auto apart = load("gqa_untied");
  apart->prepare_training(128);
  double sum = 0;
  for (auto it = rows.rbegin(); it != rows.rend(); ++it) sum += apart->forward_backward(pack({*it})).loss;
  EXPECT_NEAR(sum, loss, 1e-6 * loss);
  for (std::size_t i = 0; i < together->parameters().all().size(); ++i) {
    const at::Tensor& a = together->parameters().all()[i].grad;
    const at::Tensor& b = apart->parameters().all()[i].grad;
    EXPECT_LT(((a - b).abs().max() / a.abs().max()).item<double>(), 1e-5) << together->parameters().all()[i].name;
  }
}

// A sample's targets have the same log-probabilities whatever its neighbours hold.
TEST(Packing, NoSampleSeesAnother) {
  const auto decoder = load("gqa_untied");
  auto rows = random_rows({40, 70, 33});
  const at::Tensor before = decoder->log_probs(pack(rows));
  for (std::size_t changed = 0; changed < rows.size(); ++changed) {
    auto others = rows;
    for (std::int32_t& id : others[changed].ids) id = (id + 1) % 256;
    for (std::size_t i = 0; i < others[changed].labels.size(); ++i)
      if (others[changed].labels[i] >= 0) others[changed].labels[i] = others[changed].ids[i];
    const at::Tensor after = decoder->log_probs(pack(others));
    const MicroBatch batch = pack(rows);
    const std::int64_t begin = batch.starts[changed];
    const std::int64_t end = batch.starts[changed + 1];
    const at::Tensor inside = (batch.rows >= begin).logical_and(batch.rows < end);
    EXPECT_TRUE(before.masked_select(~inside).equal(after.masked_select(~inside)));
    EXPECT_FALSE(before.masked_select(inside).equal(after.masked_select(inside)));
  }
}

TEST(Packing, FirstLabelOfASampleNeverCounts) {
  const Row row{{5, 6, 7}, {5, 6, 7}};
  const MicroBatch batch = pack({row, row});
  EXPECT_EQ(batch.target_count(), 4);
  EXPECT_TRUE(batch.rows.equal(at::tensor({0, 1, 3, 4}, at::kLong)));
  EXPECT_TRUE(batch.targets.equal(at::tensor({6, 7, 6, 7}, at::kLong)));
}

TEST(Packing, RepeatedRunsGiveTheSameBits) {
  const MicroBatch batch = pack(random_rows({70, 33, 128}));
  std::vector<at::Tensor> grads;
  for (int run = 0; run < 2; ++run) {
    const auto decoder = load("tied");
    decoder->prepare_training(batch.tokens());
    decoder->forward_backward(batch);
    for (const Parameter& p : decoder->parameters().all()) grads.push_back(p.grad);
  }
  const std::size_t n = grads.size() / 2;
  for (std::size_t i = 0; i < n; ++i) EXPECT_TRUE(grads[i].equal(grads[n + i]));
}

TEST(Decoding, CachedStepsEqualTheWholePass) {
  for (const char* name : {"gqa_untied", "rope_yarn", "bias"}) {
    const auto decoder = load(name);
    const auto rows = random_rows({100});
    const at::Tensor expected = decoder->logits(pack(rows));
    DecodeCache cache = decoder->make_cache(100);
    const at::Tensor ids = at::tensor(rows[0].ids, at::kInt).to(at::kLong);
    std::int64_t done = 0;
    for (const std::int64_t n : {70, 1, 1, 28}) {
      const at::Tensor logits = decoder->decode(ids.narrow(0, done, n), cache);
      done += n;
      EXPECT_LT(((logits - expected[done - 1]).abs().max() / expected.abs().max()).item<double>(), 1e-5);
    }
  }
}

TEST(Scoring, WorksBesideTrainingBuffersThatAreTooSmall) {
  const auto decoder = load("tied");
  const auto rows = random_rows({60});
  const at::Tensor expected = decoder->log_probs(pack(rows));
  decoder->prepare_training(8);
  EXPECT_TRUE(decoder->log_probs(pack(rows)).equal(expected));
}

}  // namespace
}  // namespace ilt
