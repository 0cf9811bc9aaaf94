// The host's own loop against the session's own, against torch, and its rules.
#include <cmath>
#include <fstream>

#include "train/session_fixture.h"

namespace ilt {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;
using Ids = std::vector<std::int32_t>;

class HostLoopTest : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    config_.shuffle = false;  // so that the host can follow
    config_.ckpt_output_dir.clear();
  }

  // The records of samples [begin, end), as the data set has them.
  HostBatch records(int begin, int end) const {
    std::ifstream file(root_ / "data.jsonl");
    HostBatch batch;
    int number = 0;
    for (std::string line; std::getline(file, line); ++number) {
      if (number < begin || number >= end) continue;
      const Json record = Json::parse(line);
      batch.add(record["input_ids"].get<Ids>(), record["labels"].get<Ids>(), {});
    }
    return batch;
  }

  Session without_data() const {
    Config config = config_;
    config.data_path.clear();
    return Session(config);
  }

  static std::vector<float> weights_of(const Session& session) {
    std::vector<float> all;
    for (std::size_t i = 0; i < session.parameters().size(); ++i) {
      const at::Tensor t = session.parameters().copy(session.parameters().name(i));
      all.insert(all.end(), t.const_data_ptr<float>(), t.const_data_ptr<float>() + t.numel());
    }
    return all;
  }
};

TEST_F(HostLoopTest, TheSameSamplesGiveTheRunsLossesAndWeightsBitForBit) {
  Session run(config_);
  Session host = without_data();
  for (int step = 0; step < 3; ++step) {
    ASSERT_EQ(run.step(), Outcome::stepped);
    const int begin = 4 * step;
    const BatchLoss sums = host.forward_backward(records(begin, begin + 4));
    ASSERT_EQ(host.optimizer_step(0), Outcome::stepped);
    const StepMetrics a = run.metrics();
    const StepMetrics b = host.metrics();
    EXPECT_EQ(a.loss, b.loss);
    EXPECT_EQ(sums.loss / sums.weight, b.loss);
    EXPECT_EQ(a.grad_norm, b.grad_norm);
    EXPECT_EQ(a.num_loss_counted_tokens, b.num_loss_counted_tokens);
    EXPECT_EQ(a.num_tokens, b.num_tokens);
    EXPECT_EQ(a.samples_seen, b.samples_seen);
    EXPECT_EQ(a.step, b.step);
  }
  EXPECT_EQ(weights_of(run), weights_of(host));
}

TEST_F(HostLoopTest, WeightedTokensAndADivisorGiveTorchsStep) {
  const Json golden = Json::parse(read_file(fs::path(ILT_TEST_DATA) / "train" / "weighted_step.json"));
  config_.optimizer = "sgd";
  config_.learning_rate = golden["lr"];
  config_.max_grad_norm = 0;
  Session session = without_data();
  HostBatch batch;
  for (const Json& s : golden["samples"])
    batch.add(s["ids"].get<Ids>(), s["labels"].get<Ids>(), s["weights"].get<std::vector<float>>());
  const double divisor = golden["divisor"];
  const BatchLoss before = session.forward_backward(batch);
  EXPECT_NEAR(before.loss, golden["loss"].get<double>(), 1e-5);
  EXPECT_NEAR(before.weight, golden["weight"].get<double>(), 1e-6);
  ASSERT_EQ(session.optimizer_step(divisor), Outcome::stepped);
  EXPECT_NEAR(session.metrics().loss, golden["loss"].get<double>() / divisor, 1e-6);
  EXPECT_NEAR(session.metrics().grad_norm, golden["grad_norm"].get<double>(), 2e-5);
  EXPECT_NEAR(session.forward_backward(batch).loss, golden["loss_after"].get<double>(), 2e-5);
  const auto expected = golden["values_after"].get<std::vector<float>>();
  const at::Tensor row = session.parameters().copy(golden["parameter"].get<std::string>()).select(0, 0);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(row.const_data_ptr<float>()[i], expected[i], 1e-6);
}

TEST_F(HostLoopTest, GradientsAddUpUntilTheStep) {
  Session whole = without_data();
  Session parts = without_data();
  whole.forward_backward(records(0, 4));
  whole.optimizer_step(0);
  double loss = 0;
  double weight = 0;
  for (const auto& [begin, end] : {std::pair(0, 1), std::pair(1, 4)}) {
    const BatchLoss sums = parts.forward_backward(records(begin, end));
    loss += sums.loss;
    weight += sums.weight;
  }
  parts.optimizer_step(0);
  EXPECT_NEAR(parts.metrics().loss, whole.metrics().loss, 1e-6);
  EXPECT_NEAR(parts.metrics().loss, loss / weight, 1e-12);
  EXPECT_NEAR(parts.metrics().grad_norm, whole.metrics().grad_norm, 1e-5);
  EXPECT_EQ(parts.metrics().batch_size, 4);
}

TEST_F(HostLoopTest, GradientsThatWaitAreKeptApart) {
  Session session(config_);
  EXPECT_THAT([&] { session.optimizer_step(0); }, ThrowsMessage<Error>(HasSubstr("no gradients")));
  session.forward_backward(records(0, 2));
  EXPECT_THAT([&] { session.step(); }, ThrowsMessage<Error>(HasSubstr("wait for their step")));
  EXPECT_THAT([&] { session.run({}); }, ThrowsMessage<Error>(HasSubstr("wait for their step")));
  EXPECT_THAT([&] { session.save_state(root_ / "state"); }, ThrowsMessage<Error>(HasSubstr("wait for their step")));
  session.zero_gradients();
  EXPECT_THROW(session.optimizer_step(0), Error);
  ASSERT_EQ(session.step(), Outcome::stepped);
  EXPECT_EQ(session.metrics().loss, losses()[0]);  // nothing is left of what was dropped
}

TEST_F(HostLoopTest, AStepOfTheHostIsAStepOfTheRun) {
  Session session(config_);
  session.forward_backward(records(0, 2));
  ASSERT_EQ(session.optimizer_step(0), Outcome::stepped);
  for (int i = 1; i < 6; ++i) ASSERT_EQ(session.step(), Outcome::stepped);
  EXPECT_EQ(session.step(), Outcome::done);
  session.forward_backward(records(0, 2));
  EXPECT_EQ(session.optimizer_step(0), Outcome::done);
  EXPECT_EQ(session.metrics().step, 6);
}

TEST_F(HostLoopTest, ASampleLongerThanTheBudgetRunsAlone) {
  config_.max_batch_len = 8;
  Session session = without_data();
  EXPECT_GT(session.forward_backward(records(0, 3)).loss, 0);
  session.optimizer_step(0);
  EXPECT_EQ(session.metrics().num_minibatches, 3);
}

TEST_F(HostLoopTest, WeightsOfBothSignsNeedADivisor) {
  Session session = without_data();
  HostBatch batch;
  batch.add(Ids{1, 2, 3}, {}, std::vector<float>{1, 1, -1});
  session.forward_backward(batch);
  EXPECT_THAT([&] { session.optimizer_step(0); }, ThrowsMessage<Error>(HasSubstr("give a divisor")));
  for (const double bad : {-1.0, double(NAN), double(INFINITY)})
    EXPECT_THAT([&] { session.optimizer_step(bad); }, ThrowsMessage<Error>(HasSubstr("the divisor is")));
  EXPECT_EQ(session.optimizer_step(2), Outcome::stepped);
  EXPECT_TRUE(std::isfinite(session.metrics().loss));
}

TEST_F(HostLoopTest, WhatTheModelHasNoRowForIsRefused) {
  Session session = without_data();
  HostBatch batch;
  EXPECT_THAT([&] { session.forward_backward(batch); }, ThrowsMessage<Error>(HasSubstr("no samples")));
  batch.add(Ids{1, 256}, {}, {});
  EXPECT_THAT([&] { session.forward_backward(batch); }, ThrowsMessage<Error>(HasSubstr("vocabulary of 256")));
}

TEST_F(HostLoopTest, OptionsThatTheLoopNeedsAreNamed) {
  config_.max_batch_len = 0;
  EXPECT_THAT([&] { without_data().forward_backward(records(0, 1)); },
              ThrowsMessage<Error>(HasSubstr("'max_batch_len' is required")));
  config_.max_batch_len = 256;
  config_.learning_rate = 0;
  EXPECT_THAT([&] { without_data().forward_backward(records(0, 1)); },
              ThrowsMessage<Error>(HasSubstr("'learning_rate' is required")));
  config_.learning_rate = 1e-3;
  config_.effective_batch_size = 0;  // the host's own matter
  without_data().forward_backward(records(0, 1));
}

TEST_F(HostLoopTest, ADecayMustKnowItsEnd) {
  config_.lr_scheduler = "linear";
  Session open = without_data();
  open.forward_backward(records(0, 2));
  EXPECT_THAT([&] { open.optimizer_step(0); }, ThrowsMessage<Error>(HasSubstr("give max_steps")));
  open.set_learning_rate(5e-4);
  EXPECT_EQ(open.optimizer_step(0), Outcome::stepped);  // the gradients were kept
  EXPECT_EQ(open.metrics().lr, 5e-4);
  config_.max_steps = 2;
  Session bounded = without_data();
  for (const double lr : {1e-3, 5e-4}) {
    bounded.forward_backward(records(0, 2));
    EXPECT_EQ(bounded.optimizer_step(0), Outcome::stepped);
    EXPECT_DOUBLE_EQ(bounded.metrics().lr, lr);
  }
  EXPECT_EQ(bounded.metrics().step_total, 2);
  bounded.forward_backward(records(0, 2));
  EXPECT_EQ(bounded.optimizer_step(0), Outcome::done);
}

TEST_F(HostLoopTest, ARateThatIsSetReplacesTheSchedules) {
  config_.lr_scheduler = "linear";
  const auto rates = [&](const std::map<int, double>& set) {
    Session session(config_);
    std::vector<double> all;
    for (int i = 0; i < 6; ++i) {
      if (set.contains(i)) session.set_learning_rate(set.at(i));
      session.step();
      all.push_back(session.metrics().lr);
    }
    return all;
  };
  const auto schedule = rates({});
  const auto changed = rates({{1, 7e-4}, {2, 0.0}, {3, lr_of_schedule}});
  EXPECT_EQ(changed, (std::vector{schedule[0], 7e-4, 0.0, schedule[3], schedule[4], schedule[5]}));
  Session session(config_);
  for (const double bad : {-0.5, double(NAN), double(INFINITY)})
    EXPECT_THAT([&] { session.set_learning_rate(bad); }, ThrowsMessage<Error>(HasSubstr("the learning rate is")));
}

TEST_F(HostLoopTest, NonFiniteLossesAreFoundBeforeTheWeightsChange) {
  config_.on_nonfinite = "error";
  Session session = without_data();
  const auto& name = session.parameters().name(0);
  const at::Tensor good = session.parameters().copy(name);
  session.parameters().assign(name, at::full_like(good, NAN));
  EXPECT_TRUE(std::isnan(session.forward_backward(records(0, 2)).loss));
  EXPECT_THAT([&] { session.optimizer_step(0); }, ThrowsMessage<Error>(HasSubstr("step 1: the loss is not finite")));
  EXPECT_THROW(session.optimizer_step(0), Error);  // the gradients are gone
  session.parameters().assign(name, good);
  session.forward_backward(records(0, 2));
  EXPECT_EQ(session.optimizer_step(0), Outcome::stepped);
  EXPECT_EQ(session.metrics().step, 1);
  EXPECT_FALSE(session.lost());
}

}  // namespace
}  // namespace ilt
