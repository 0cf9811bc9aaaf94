// Growing the vocabulary: old rows and what the model computes stay, new rows are the mean of the old ones.
#include "model/vocabulary.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/load.h"

namespace ilt {
namespace {

ModelSource model(const std::string& name) {
  return open_model(std::filesystem::path(ILT_TEST_DATA) / name);
}

at::Tensor logits(Decoder& decoder) {
  std::vector<std::int32_t> ids(20);
  std::iota(ids.begin(), ids.end(), 3);
  MicroBatchBuilder builder;
  builder.add(ids, ids);
  return decoder.logits(builder.build(at::kCPU));
}

// Untied and tied heads, a head with a bias, a family whose embedding has another name.
class Vocabulary : public testing::TestWithParam<std::string> {};

TEST_P(Vocabulary, GrowsByTheMeanAndLeavesTheRestAsItIs) {
  const ModelSource before = model(GetParam());
  const auto small = load_decoder(before, at::kCPU);
  const std::int64_t rows = small->spec().vocab;
  const ModelSource after = grow_vocabulary(before, rows + 5);
  const auto large = load_decoder(after, at::kCPU);
  EXPECT_EQ(large->spec().vocab, rows + 5);
  EXPECT_EQ(parse_json(after.files().read("config.json"), "config.json").at("vocab_size"), rows + 5);
  int grown = 0;
  const auto was = small->parameters().stored_tensors();
  const auto is = large->parameters().stored_tensors();
  ASSERT_EQ(was.size(), is.size());
  for (std::size_t i = 0; i < was.size(); ++i) {
    ASSERT_EQ(was[i].name, is[i].name);
    if (was[i].value.sizes() == is[i].value.sizes()) {
      EXPECT_TRUE(at::equal(was[i].value, is[i].value)) << was[i].name;
      continue;
    }
    ++grown;
    EXPECT_TRUE(at::equal(is[i].value.narrow(0, 0, rows), was[i].value)) << was[i].name;
    const at::Tensor mean = was[i].value.to(at::kDouble).mean(0);
    const at::Tensor added = is[i].value.narrow(0, rows, 5).to(at::kDouble);
    EXPECT_LT((added - mean).abs().max().item<double>(), 1e-7) << was[i].name;
  }
  EXPECT_EQ(grown, small->spec().tied ? 1 : small->spec().head_bias ? 3 : 2);
  const at::Tensor difference = logits(*large).narrow(1, 0, rows) - logits(*small);
  EXPECT_LT(difference.abs().max().item<double>(), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Families, Vocabulary,
                         testing::Values("llama/gqa_untied", "llama/tied", "models/phi", "models/gpt2",
                                         "models/gpt_neox", "models/gemma2"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '/', '_');
                           return name;
                         });

TEST(VocabularyRows, CoverTheTokensAndAreAMultiple) {
  EXPECT_EQ(rows_for(512, 500, 1), 512);
  EXPECT_EQ(rows_for(512, 513, 1), 513);
  EXPECT_EQ(rows_for(512, 513, 64), 576);
  EXPECT_EQ(rows_for(500, 400, 64), 512);
}

}  // namespace
}  // namespace ilt
