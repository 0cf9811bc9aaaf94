// Sessions on a tiny checkpoint: packing, metrics, checkpoints, cancelling, and what a broken weight does.
#include "train/session.h"

#include <cmath>
#include <cstring>
#include <fstream>

#include "base/error.h"
#include "observe/metrics_file.h"
#include "train/data.h"
#include "train/session_fixture.h"
#include "train/setup.h"
#include "weights/model_folder.h"

namespace ilt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(SessionTest, LossesDoNotDependOnTheBudget) {
  const std::vector<double> whole = losses();
  ASSERT_EQ(whole.size(), 6U);  // 10 samples: 4 + 4 + 2, twice
  config_.max_batch_len = 64;
  const std::vector<double> pieces = losses();
  for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_NEAR(pieces[i], whole[i], 1e-5);
  EXPECT_LT(whole.back(), whole.front());
}

TEST_F(SessionTest, TheSameRunGivesTheSameBits) {
  const std::vector<double> first = losses();
  EXPECT_EQ(losses(), first);
  config_.seed = 43;
  EXPECT_NE(losses(), first);
}

TEST_F(SessionTest, MetricsCountSamplesTokensAndSteps) {
  Session session(config_);
  ASSERT_EQ(session.step(), Outcome::stepped);
  StepMetrics m = session.metrics();
  EXPECT_EQ(m.step, 1);
  EXPECT_EQ(m.step_total, 6);
  EXPECT_EQ(m.batch_size, 4);
  EXPECT_EQ(m.num_epoch_steps, 3);
  EXPECT_GT(m.grad_norm, 0);
  EXPECT_LT(m.num_loss_counted_tokens, m.num_tokens);
  while (session.step() == Outcome::stepped) {
  }
  m = session.metrics();
  EXPECT_EQ(m.samples_seen, 20);
  EXPECT_EQ(m.epoch, 1);
  EXPECT_EQ(session.step(), Outcome::done);
}

TEST_F(SessionTest, RunWritesMetricsAndCheckpointsWhereSamplesAreCrossed) {
  config_.save_samples = 5;
  config_.checkpoint_at_epoch = false;
  config_.full_state_at_epoch = false;
  Session session(config_);
  std::vector<std::string> saved;
  session.set_event_callback([&](const Event& e) {
    if (e.kind == EventKind::checkpoint) saved.push_back(fs::path(e.path).filename());
    return true;
  });
  EXPECT_EQ(session.run({}), Outcome::done);
  EXPECT_THAT(saved, ElementsAre("samples_8", "samples_10", "samples_18", "samples_20"));
  std::ifstream file(root_ / "out" / metrics_file_name);
  std::string line;
  std::vector<Json> records;
  while (std::getline(file, line)) records.push_back(Json::parse(line));
  ASSERT_EQ(records.size(), 7U);
  EXPECT_EQ(records[0]["effective_batch_size"], 4);
  EXPECT_EQ(records[6]["samples_seen"], 20);
  EXPECT_EQ(records[6]["step"], 6);
}

TEST_F(SessionTest, SavedModelScoresAsTheSession) {
  Session session(config_);
  session.step();
  session.save(root_ / "saved");
  const std::vector<std::int32_t> ids = {5, 9, 200, 31, 7, 7, 80};
  Config scoring;
  scoring.model_path = root_ / "saved";
  Session loaded(scoring);
  EXPECT_EQ(loaded.score(ids), session.score(ids));
  EXPECT_THROW(loaded.step(), Error);
}

TEST_F(SessionTest, CallbacksAndTokensStopTheRunWithACheckpoint) {
  Session session(config_);
  session.set_event_callback([](const Event& e) { return e.kind != EventKind::step_end || e.metrics.step < 2; });
  EXPECT_EQ(session.run({}), Outcome::stopped);
  EXPECT_EQ(session.metrics().step, 2);
  EXPECT_TRUE(fs::exists(root_ / "out" / "hf_format" / "samples_8" / "model.safetensors"));
  const CancelToken token = CancelToken::make();
  token.cancel();
  EXPECT_EQ(session.run(token), Outcome::stopped);
  EXPECT_EQ(session.metrics().step, 2);
}

TEST_F(SessionTest, ANanWeightIsAnErrorAtStepOneAndNothingIsPublished) {
  const fs::path path = root_ / "model" / "model.safetensors";
  std::string bytes = read_file(path);
  const float nan = NAN;
  std::memcpy(bytes.data() + bytes.size() - 4, &nan, 4);
  write_file(path, bytes);
  Session session(config_);
  try {
    session.run({});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.status(), Status::numeric);
    EXPECT_THAT(e.what(), HasSubstr("step 1"));
    EXPECT_THAT(e.what(), HasSubstr("NaN"));
  }
  EXPECT_FALSE(fs::exists(root_ / "out" / "hf_format"));
  EXPECT_THROW(session.save(root_ / "saved"), Error);
  EXPECT_FALSE(fs::exists(root_ / "saved"));
}

TEST_F(SessionTest, GenerationIsGreedyByDefaultAndStopsAtTheEosIds) {
  config_.data_path = {};
  Session session(config_);
  const std::vector<std::int32_t> prompt = {5, 9, 200};
  GenerateOptions options;
  options.max_new_tokens = 5;
  options.stop_ids = {-1};
  const auto greedy = session.generate(prompt, options, nullptr, {});
  ASSERT_EQ(greedy.size(), 5U);
  const auto two = session.generate(prompt, options, [n = 0](std::int32_t) mutable { return ++n < 2; }, {});
  EXPECT_EQ(two.size(), 2U);
  options.stop_ids = {greedy[0]};
  EXPECT_TRUE(session.generate(prompt, options, nullptr, {}).empty());
  EXPECT_THROW(session.generate({}, {}, nullptr, {}), Error);
  EXPECT_THROW(session.score(std::vector<std::int32_t>{1, 256}), Error);
}

TEST_F(SessionTest, GenerationTakesRequestsWithinAPassAndGrowsItsCache) {
  config_.data_path = {};
  Session session(config_);
  GenerateOptions options;
  options.stop_ids = {-1};
  options.max_new_tokens = 300;  // more than the cache begins with
  EXPECT_EQ(session.generate(std::vector<std::int32_t>{5}, options, nullptr, {}).size(), 300U);
  options.max_new_tokens = 1'000'000'000'000;
  const CancelToken cancel = CancelToken::make();
  EXPECT_THROW(session.generate(
                   std::vector<std::int32_t>{5}, options,
                   [&](std::int32_t) {
                     cancel.cancel();
                     return true;
                   },
                   cancel),
               Stopped);
}

TEST(Setup, TooManyEpochsAreAnErrorOfTheOption) {
  const Sampler sampler({{0, 10, 1}}, 1, true, 1);
  Config config;
  config.num_epochs = std::int64_t{1} << 62;
  EXPECT_THAT([&] { total_steps(config, sampler, {}); },
              testing::ThrowsMessage<Error>(HasSubstr("option 'num_epochs'")));
  config.max_steps = 3;
  EXPECT_EQ(total_steps(config, sampler, {}), 3);
}

TEST(SampleToken, TopKAndTopPCutTheTail) {
  const std::vector<float> logits = {0.0F, 2.0F, 1.0F, -1.0F};
  GenerateOptions options;
  const auto sample = [&](double uniform) { return sample_token(logits, options, uniform); };
  EXPECT_EQ(sample(0.999), 1);
  options.temperature = 1.0;
  EXPECT_EQ(sample(0.0), 1);
  EXPECT_EQ(sample(0.9999), 3);
  options.top_k = 1;
  EXPECT_EQ(sample(0.999), 1);
  options.top_k = 2;
  EXPECT_EQ(sample(0.999), 2);
  options.top_k = 0;
  options.top_p = 0.5;
  EXPECT_EQ(sample(0.999), 1);
}

// The loss of held-out samples does not depend on how they are batched, and is told and recorded.
TEST_F(SessionTest, ValidatesOnWhatIsHeldOut) {
  config_.validation_split = 0.3;
  config_.validation_frequency = 2;
  config_.num_epochs = 3;
  std::vector<std::pair<std::int64_t, double>> told;
  const auto run = [&] {
    told.clear();
    Session session(config_);
    session.set_event_callback([&](const Event& event) {
      if (event.kind == EventKind::eval_end) told.emplace_back(event.metrics.step, event.metrics.val_loss);
      return true;
    });
    EXPECT_TRUE(std::isnan(session.metrics().val_loss));
    session.run({});
    EXPECT_EQ(session.metrics().total_samples, 7);
    return told;
  };
  const auto first = run();
  // Seven samples in steps of four: two steps an epoch.
  ASSERT_EQ(first.size(), 3);
  EXPECT_EQ(first.back().first, 6);
  EXPECT_LT(first.back().second, first.front().second);
  config_.max_batch_len = 64;
  fs::remove_all(root_ / "out");
  const auto second = run();
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_NEAR(second[i].second, first[i].second, 1e-5);
  std::ifstream file(root_ / "out" / metrics_file_name);
  int records = 0;
  for (std::string line; std::getline(file, line);) records += line.find("\"val_loss\"") != std::string::npos;
  EXPECT_EQ(records, 3);
}

TEST_F(SessionTest, TrainsOnAProcessedFileAsOnRecords) {
  const std::vector<double> expected = losses();
  const fs::path processed = root_ / "data.safetensors";
  process_run_data(config_, processed, {}, {});
  config_.data_path = {processed.string()};
  EXPECT_EQ(losses(), expected);
  config_.max_seq_len = 30;  // longer samples are left out here, too
  EXPECT_LT(Session(config_).metrics().total_samples, 10);
  config_.overlong = "truncate";
  EXPECT_THAT([&] { Session session(config_); }, testing::ThrowsMessage<Error>(HasSubstr("overlong")));
}

TEST_F(SessionTest, MixesByWeight) {
  config_.data_path = {config_.data_path[0], config_.data_path[0]};
  config_.data_weights = {1.0, 0.5};
  Session session(config_);
  EXPECT_EQ(session.metrics().num_epoch_steps, 4);  // 15 samples in steps of 4
}

TEST_F(SessionTest, TakesDataSetsFromTheHost) {
  const std::vector<double> expected = losses();
  auto data = std::make_shared<Dataset>(load_data(config_, {}));
  config_.data_path.clear();
  Session session(config_);
  EXPECT_THROW(session.step(), Error);
  session.set_data(data, data);
  std::vector<double> result;
  while (session.step() == Outcome::stepped) result.push_back(session.metrics().loss);
  EXPECT_EQ(result, expected);
  EXPECT_THROW(session.set_data(data, nullptr), Error);
}

TEST_F(SessionTest, TrainsOnBlocksOfDocuments) {
  std::ofstream(root_ / "data.jsonl") << Json{{"text", std::string(500, 'a')}}.dump() << "\n"
                                      << Json{{"text", std::string(300, 'b')}}.dump() << "\n";
  config_.block_size = 64;
  Session session(config_);
  const std::int64_t blocks = session.metrics().total_samples;
  EXPECT_GE(blocks, 2);
  EXPECT_EQ(session.step(), Outcome::stepped);
  write_records(3);
  EXPECT_THAT([&] { Session other(config_); }, testing::ThrowsMessage<Error>(HasSubstr("block_size")));
}

}  // namespace
}  // namespace ilt
