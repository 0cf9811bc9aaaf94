// Runs, callbacks that throw, cancelling, scores, checkpoints and parameters through ilt.hpp.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "support.h"

namespace {

using ilt_test::expect_error;
using ilt_test::Folder;
using ilt_test::tiny_config;

TEST(Session, StepsUntilDone) {
  ilt::Session session(tiny_config());
  EXPECT_TRUE(std::isnan(session.metrics().loss));
  std::vector<double> losses;
  while (const auto metrics = session.train_step()) losses.push_back(metrics->loss);
  ASSERT_EQ(losses.size(), 4U);
  EXPECT_LT(losses.back(), losses.front());
  EXPECT_EQ(session.metrics().step, 4);
  EXPECT_NE(session.metrics_json().find("\"gradnorm\""), std::string::npos);
  EXPECT_NE(session.config_json().find("\"effective_batch_size\""), std::string::npos);
  EXPECT_NE(session.model_info_json().find("LlamaForCausalLM"), std::string::npos);
  EXPECT_FALSE(session.is_poisoned());
}

TEST(Session, RunsAndTellsTheCallbackAlsoWhenMoved) {
  std::vector<ilt_event_type> events;
  ilt::Session first(tiny_config());
  first.set_event_callback([&](const ilt::Event& event) {
    events.push_back(event.type);
    return ilt::Next::go_on;
  });
  ilt::Session session = std::move(first);
  const ilt::Outcome outcome = session.train_run();
  EXPECT_EQ(outcome.status, ILT_OK);
  EXPECT_EQ(outcome.metrics.step, 4);
  EXPECT_EQ(std::count(events.begin(), events.end(), ILT_EVENT_STEP_END), 4);
  EXPECT_EQ(events.front(), ILT_EVENT_RUN_BEGIN);
  EXPECT_EQ(events.back(), ILT_EVENT_RUN_END);
}

TEST(Session, TrainsEpochs) {
  ilt::Session session(tiny_config());
  EXPECT_EQ(session.train_epoch().metrics.step, 2);
  EXPECT_EQ(session.train_epoch().metrics.step, 4);
  EXPECT_TRUE(session.train_epoch().done());
}

TEST(Callback, StopsARun) {
  ilt::Session session(tiny_config());
  session.set_event_callback(
      [](const ilt::Event& event) { return event.type == ILT_EVENT_STEP_END ? ilt::Next::stop : ilt::Next::go_on; });
  EXPECT_TRUE(session.train_run().stopped());
  EXPECT_EQ(session.metrics().step, 1);
  session.set_event_callback({});
  EXPECT_EQ(session.train_run().metrics.step, 4);
}

TEST(Callback, ThrowsOutOfTheRun) {
  struct Mine : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
  ilt::Session session(tiny_config());
  session.set_event_callback([&](const ilt::Event& event) {
    if (event.type == ILT_EVENT_STEP_END) {
      // Errors of libilt itself pass through as they are.
      if (event.metrics->step == 2) session.train_step();
      throw Mine("of step " + std::to_string(event.metrics->step));
    }
    return ilt::Next::go_on;
  });
  try {
    session.train_run();
    FAIL() << "nothing was thrown";
  } catch (const Mine& mine) {
    EXPECT_STREQ(mine.what(), "of step 1");
  }
  expect_error([&] { session.train_run(); }, ILT_ERR_INVALID_STATE, "inside a callback");
  session.set_event_callback({});
  EXPECT_EQ(session.train_run().metrics.step, 4);
}

TEST(Callback, ThrowsOutOfGenerate) {
  ilt::Session session(tiny_config(false));
  const auto function = [](std::int32_t) -> ilt::Next { throw std::out_of_range("mine"); };
  EXPECT_THROW(session.generate({1, 5, 9}, "", function), std::out_of_range);
}

TEST(Session, StopsWhenCancelled) {
  ilt::Session session(tiny_config());
  ilt::CancelToken cancel;
  session.set_event_callback([&](const ilt::Event& event) {
    if (event.type == ILT_EVENT_STEP_END && event.metrics->step == 2) cancel.cancel();
    return ilt::Next::go_on;
  });
  EXPECT_TRUE(session.train_run(cancel).stopped());
  EXPECT_EQ(session.metrics().step, 2);
  EXPECT_EQ(session.train_run().metrics.step, 4);
}

TEST(Session, ScoresAndGenerates) {
  ilt::Session session(tiny_config(false));
  expect_error([&] { session.train_step(); }, ILT_ERR_INVALID_STATE, "data_path");
  std::vector<std::int32_t> told;
  const ilt::Generation result =
      session.generate({1, 5, 9}, R"({"max_new_tokens": 6, "stop_ids": [0]})", [&](std::int32_t id) {
        told.push_back(id);
        return told.size() == 3 ? ilt::Next::stop : ilt::Next::go_on;
      });
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.ids, told);
  EXPECT_EQ(result.ids.size(), 3U);
  const std::vector<float> logprobs = session.score({1, 5, 9, 11});
  ASSERT_EQ(logprobs.size(), 3U);
  for (const float logprob : logprobs) EXPECT_LT(logprob, 0.0F);
  expect_error([&] { session.score({1}); }, ILT_ERR_INVALID_ARGUMENT, "");
}

TEST(Session, SavesAndGoesBack) {
  const Folder folder;
  ilt::Session session(tiny_config());
  session.train_step();
  session.save(folder / "state", ILT_CKPT_FULL_STATE);
  ilt::checkpoint_verify(folder / "state");
  EXPECT_NE(ilt::checkpoint_info_json(folder / "state").find("\"step\""), std::string::npos);
  const double second = session.train_step()->loss;
  session.save(folder / "later", ILT_CKPT_FULL_STATE);
  EXPECT_NE(ilt::checkpoint_diff_json(folder / "state", folder / "later").find("\"equal\":false"), std::string::npos);
  session.load(folder / "state");
  EXPECT_EQ(session.metrics().step, 1);
  EXPECT_EQ(session.train_step()->loss, second);

  ilt::checkpoint_export(folder / "state", folder / "exported");
  session.save(folder / "weights");
  ilt::model_export(folder / "weights", folder / "half", R"({"format": "hf", "dtype": "float16"})");
  EXPECT_TRUE(std::filesystem::exists(folder / "exported"));
  EXPECT_TRUE(std::filesystem::exists(folder / "half"));
  ilt::Session again(tiny_config(false).set("model_path", folder / "weights"));
  EXPECT_EQ(again.score({1, 5, 9}), session.score({1, 5, 9}));
  expect_error([&] { session.load(folder / "nowhere"); }, ILT_ERR_NOT_FOUND, "nowhere");
  expect_error([&] { ilt::checkpoint_list_json(folder / "nowhere"); }, ILT_ERR_NOT_FOUND, "nowhere");
}

TEST(Session, SetsTheLearningRate) {
  ilt::Session session(tiny_config());
  session.set_lr(0.25);
  EXPECT_EQ(session.train_step()->lr, 0.25);
  session.set_lr(ILT_LR_SCHEDULE);
  EXPECT_LT(session.train_step()->lr, 0.25);
  expect_error([&] { session.set_lr(-2); }, ILT_ERR_INVALID_ARGUMENT, "-2");
}

TEST(Session, GivesAndTakesParameters) {
  ilt::Session session(tiny_config(false)), other(tiny_config(false));
  const std::vector<std::string> names = session.param_names();
  ASSERT_FALSE(names.empty());
  for (const std::string& name : names)
    EXPECT_NE(session.param_info_json(name).find(name), std::string::npos) << session.param_info_json(name);
  for (const std::string& name : names) other.param_from_dlpack(name, session.param_to_dlpack(name));
  EXPECT_EQ(other.score({1, 5, 9}), session.score({1, 5, 9}));
  expect_error([&] { session.param_to_dlpack("lm_hea"); }, ILT_ERR_NOT_FOUND, "lm_hea");
}

}  // namespace
