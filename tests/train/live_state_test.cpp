// Sessions that go back to a state, run epoch by epoch, and are evaluated on the way.
#include <fstream>

#include "train/data.h"
#include "train/session_fixture.h"

namespace ilt {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST_F(SessionTest, GoesBackToAStateBitForBit) {
  config_.ckpt_output_dir.clear();
  Session session(config_);
  session.step();
  session.set_learning_rate(3e-4);
  session.step();
  session.save_state(root_ / "state");
  const auto rest = [&] {
    std::vector<double> result;
    for (int i = 0; i < 3; ++i) {
      session.step();
      result.push_back(session.metrics().loss);
      EXPECT_EQ(session.metrics().lr, 3e-4);
    }
    return result;
  };
  const auto first = rest();
  session.set_learning_rate(1e-2);
  session.load_state(root_ / "state");
  EXPECT_EQ(session.metrics().step, 2);
  EXPECT_EQ(session.metrics().step_total, 6);
  EXPECT_EQ(rest(), first);
  config_.resume = root_ / "state";
  Session other(config_);
  other.step();
  EXPECT_EQ(other.metrics().loss, first[0]);
  EXPECT_EQ(other.metrics().lr, 3e-4);  // what was set belongs to the state
}

TEST_F(SessionTest, AStateThatDoesNotFitChangesNothing) {
  Session session(config_);
  session.step();
  EXPECT_THROW(session.load_state(root_ / "nothing"), Error);
  session.save_state(root_ / "state");
  Config other = config_;
  other.seed = 7;
  other.ckpt_output_dir.clear();
  Session with_other_seed(other);
  EXPECT_THAT([&] { with_other_seed.load_state(root_ / "state"); }, ThrowsMessage<Error>(HasSubstr("option 'seed'")));
  EXPECT_EQ(with_other_seed.metrics().step, 0);
  session.step();
  session.save_state(root_ / "out" / "full_state" / "step_2");
  EXPECT_THAT([&] { session.load_state(root_ / "state"); }, ThrowsMessage<Error>(HasSubstr("step_2")));
  EXPECT_EQ(session.metrics().step, 2);
}

TEST_F(SessionTest, AHostsOwnLoopHasStatesToo) {
  config_.data_path.clear();
  config_.ckpt_output_dir.clear();
  HostBatch batch;
  batch.add(std::vector<std::int32_t>{1, 2, 3, 4}, {}, {});
  const auto step = [&](Session& session) {
    session.forward_backward(batch);
    session.optimizer_step(0);
    return session.metrics().loss;
  };
  Session session(config_);
  EXPECT_THROW(session.save_state(root_ / "state"), Error);
  step(session);
  session.save_state(root_ / "state");
  const double next = step(session);
  Session again(config_);
  again.load_state(root_ / "state");
  EXPECT_EQ(again.metrics().step, 1);
  EXPECT_EQ(step(again), next);
}

// The files of a folder, and what the metrics file holds of each step.
struct Written {
  std::vector<std::string> files;
  std::vector<double> losses;
};

Written written(const fs::path& folder) {
  Written all;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    all.files.push_back(fs::relative(entry.path(), folder).string());
  std::sort(all.files.begin(), all.files.end());
  std::ifstream metrics(folder / "training_params_and_metrics_global0.jsonl");
  for (std::string line; std::getline(metrics, line);)
    if (const Json record = Json::parse(line); record.contains("loss")) all.losses.push_back(record["loss"]);
  return all;
}

TEST_F(SessionTest, EpochAfterEpochIsTheRun) {
  config_.validation_split = 0.2;
  for (const std::string background : {"off", "wait"}) {
    config_.background_save = background;
    config_.ckpt_output_dir = root_ / ("run_" + background);
    EXPECT_EQ(Session(config_).run({}), Outcome::done);
    const Written run = written(config_.ckpt_output_dir);
    config_.ckpt_output_dir = root_ / ("epochs_" + background);
    Session session(config_);
    EXPECT_EQ(session.run_epoch({}), Outcome::stepped);
    EXPECT_EQ(session.metrics().step, 2);  // 8 samples in steps of 4
    EXPECT_TRUE(fs::exists(root_ / ("epochs_" + background) / "full_state" / "step_2"));
    EXPECT_EQ(session.run_epoch({}), Outcome::stepped);
    EXPECT_EQ(session.run_epoch({}), Outcome::done);
    EXPECT_EQ(session.metrics().step, 4);
    const Written epochs = written(config_.ckpt_output_dir);
    EXPECT_EQ(epochs.files, run.files);
    EXPECT_EQ(epochs.losses, run.losses);
  }
}

TEST_F(SessionTest, AnEpochThatWasBegunIsFinished) {
  Session session(config_);
  session.step();
  EXPECT_EQ(session.run_epoch({}), Outcome::stepped);
  EXPECT_EQ(session.metrics().step, 3);
  session.set_event_callback([](const Event& event) { return event.kind != EventKind::step_end; });
  EXPECT_EQ(session.run_epoch({}), Outcome::stopped);
  EXPECT_EQ(session.metrics().step, 4);
}

TEST_F(SessionTest, EvaluatesAsAValidationDoes) {
  config_.validation_split = 0.3;
  Session session(config_);
  double told = 0;
  session.set_event_callback([&](const Event& event) {
    if (event.kind == EventKind::eval_end) {
      told = event.metrics.val_loss;
      EXPECT_EQ(session.evaluate(nullptr, {}).loss, told);  // also from inside the callback
    }
    return true;
  });
  session.run({});
  const Evaluation own = session.evaluate(nullptr, {});
  EXPECT_EQ(own.loss, told);
  EXPECT_EQ(own.targets, session.metrics().val_num_tokens);
  const auto all = std::make_shared<const Dataset>(load_data(config_, {}));
  EXPECT_GT(session.evaluate(all, {}).targets, own.targets);
  EXPECT_EQ(session.metrics().val_loss, told);  // as it was
  const CancelToken cancelled = CancelToken::make();
  cancelled.cancel();
  EXPECT_THROW(session.evaluate(all, cancelled), Stopped);
}

TEST_F(SessionTest, EvaluationSaysWhatIsMissing) {
  Session session(config_);
  EXPECT_THAT([&] { session.evaluate(nullptr, {}); }, ThrowsMessage<Error>(HasSubstr("no validation data")));
  auto empty = std::make_shared<Dataset>();
  empty->add(std::vector<std::int32_t>{1, 2}, std::vector<std::int32_t>{-100, -100});
  EXPECT_THAT([&] { session.evaluate(empty, {}); }, ThrowsMessage<Error>(HasSubstr("no token")));
  auto foreign = std::make_shared<Dataset>();
  foreign->add(std::vector<std::int32_t>{1, 999}, std::vector<std::int32_t>{1, 999});
  EXPECT_THAT([&] { session.evaluate(foreign, {}); }, ThrowsMessage<Error>(HasSubstr("vocabulary has 256 rows")));
  config_.data_path.clear();
  config_.max_batch_len = 0;
  EXPECT_THAT([&] { Session(config_).evaluate(foreign, {}); }, ThrowsMessage<Error>(HasSubstr("max_batch_len")));
}

}  // namespace
}  // namespace ilt
