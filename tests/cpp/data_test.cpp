// Tokenizer, data sets, batches and the program's own loop through ilt.hpp.
#include <algorithm>
#include <stdexcept>
#include <vector>

#include "support.h"

namespace {

using ilt_test::expect_error;
using ilt_test::Folder;
using ilt_test::tiny_config;

constexpr char kRecord[] =
    R"({"messages": [{"role": "user", "content": "two"}, {"role": "assistant", "content": "2"}]})";

TEST(Tokenizer, EncodesAndDecodes) {
  const ilt::Tokenizer tokenizer(ILT_TINY_MODEL);
  EXPECT_GT(tokenizer.vocab_size(), 0);
  const std::vector<std::int32_t> ids = tokenizer.encode("one two");
  ASSERT_FALSE(ids.empty());
  EXPECT_EQ(tokenizer.decode(ids), "one two");
  EXPECT_TRUE(tokenizer.encode("").empty());
  EXPECT_EQ(tokenizer.decode({}), "");
  expect_error([&] { tokenizer.encode("\xff"); }, ILT_ERR_DATA, "UTF-8");
  expect_error([] { ilt::Tokenizer("/no/such/model"); }, ILT_ERR_NOT_FOUND, "/no/such/model");
}

TEST(Tokenizer, KnowsTheChatTemplate) {
  const ilt::Tokenizer tokenizer(ILT_TINY_MODEL);
  const std::string text = tokenizer.render_chat(R"([{"role": "user", "content": "two"}])", true);
  EXPECT_NE(text.find("two"), std::string::npos);
  const ilt::Sample sample = tokenizer.apply_chat(kRecord);
  ASSERT_EQ(sample.ids.size(), sample.labels.size());
  EXPECT_EQ(sample.labels.front(), -100);
  EXPECT_GT(std::count_if(sample.labels.begin(), sample.labels.end(), [](std::int32_t label) { return label >= 0; }),
            0);
}

TEST(Dataset, TakesRecordsOneByOne) {
  ilt::Dataset data(tiny_config(false));
  EXPECT_TRUE(data.add(kRecord));
  EXPECT_FALSE(data.add(R"({"messages": [{"role": "user", "content": "nothing to learn"}]})"));
  EXPECT_EQ(data.num_samples(), 1);
  const ilt::Sample sample = data.sample(0);
  EXPECT_EQ(static_cast<std::size_t>(data.num_tokens()), sample.ids.size());
  EXPECT_NE(data.stats_json().find("\"records\": 2"), std::string::npos) << data.stats_json();
  expect_error([&] { data.sample(1); }, ILT_ERR_INVALID_ARGUMENT, "1");
}

TEST(Dataset, IsProcessedIntoAFile) {
  const Folder folder;
  int calls = 0;
  const auto progress = [&](std::int64_t, std::int64_t, std::int64_t) {
    ++calls;
    return ilt::Next::go_on;
  };
  EXPECT_TRUE(ilt::Dataset::process(tiny_config(), folder / "data", progress));
  EXPECT_GT(calls, 0);
  const ilt::Dataset data = ilt::Dataset::open(folder / "data");
  EXPECT_EQ(data.num_samples(), ilt::Dataset(tiny_config()).num_samples());
  const auto fails = [](std::int64_t, std::int64_t, std::int64_t) -> ilt::Next { throw std::domain_error("mine"); };
  EXPECT_THROW(ilt::Dataset::process(tiny_config(), folder / "other", fails), std::domain_error);
  ilt::CancelToken cancel;
  cancel.cancel();
  EXPECT_FALSE(ilt::Dataset::process(tiny_config(), folder / "third", {}, cancel));
  expect_error([&] { ilt::Dataset stopped(tiny_config(), cancel); }, ILT_STOPPED, "cancelled");
}

TEST(Session, TakesDataSetsAndEvaluates) {
  ilt::Session session(tiny_config(false));
  const ilt::Dataset data(tiny_config());
  session.set_datasets(data, &data);
  EXPECT_TRUE(session.train_step());
  const auto own = session.evaluate(), given = session.evaluate(&data);
  ASSERT_TRUE(own && given);
  EXPECT_EQ(own->loss, given->loss);
  EXPECT_GT(own->tokens, 0);
  ilt::CancelToken cancel;
  cancel.cancel();
  EXPECT_FALSE(session.evaluate(nullptr, cancel));
}

TEST(Batch, OfTheProgramsOwnLoopTrainsAsTheRun) {
  const auto in_order = [](bool with_data) {
    ilt::Config config = tiny_config(with_data);
    config.set("shuffle", "false").set("lr_scheduler", "constant");
    return ilt::Session(config);
  };
  ilt::Session run = in_order(true), host = in_order(false);
  const ilt::Dataset data(tiny_config());
  ilt::Batch batch;
  for (std::int64_t step = 0; step < 2; ++step) {
    batch.clear();
    for (const std::int64_t index : {2 * step, 2 * step + 1}) {
      const ilt::Sample sample = data.sample(index);
      batch.add(sample.ids, sample.labels);
    }
    EXPECT_EQ(batch.samples(), 2);
    const ilt::BatchLoss loss = host.forward_backward(batch);
    const auto expected = run.train_step(), got = host.optimizer_step();
    ASSERT_TRUE(expected && got);
    EXPECT_EQ(loss.mean(), expected->loss);
    EXPECT_EQ(got->grad_norm, expected->grad_norm);
  }
}

TEST(Batch, WeighsTokensAndRefusesWhatIsNoSample) {
  ilt::Session session(tiny_config(false));
  ilt::Batch batch;
  batch.add({1, 5, 9}, {}, {0.0F, 2.0F, 0.5F});
  EXPECT_EQ(batch.tokens(), 3);
  EXPECT_EQ(session.forward_backward(batch).weight, 2.5);
  session.zero_grad();
  expect_error([&] { session.optimizer_step(); }, ILT_ERR_INVALID_STATE, "gradient");
  EXPECT_THROW(batch.add({1, 2}, {1}), std::invalid_argument);
  EXPECT_THROW(batch.add({1, 2}, {}, {1.0F}), std::invalid_argument);
  expect_error([&] { batch.add({}); }, ILT_ERR_INVALID_ARGUMENT, "ids");
}

}  // namespace
