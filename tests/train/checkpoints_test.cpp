// What runs save, keep and end by: cadence, retention, the best model, background saves, failing disks, skipped steps.
#include "train/checkpoints.h"

#include <cmath>
#include <limits>
#include <memory>
#include <set>

#include "checkpoint/full_state.h"
#include "checkpoint/manifest.h"
#include "checkpoint/state_diff.h"
#include "checkpoint/state_export.h"
#include "checkpoint/store.h"
#include "observe/metrics_file.h"
#include "train/data.h"
#include "train/session_fixture.h"
#include "weights/model_folder.h"

namespace ilt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

class CheckpointsTest : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    config_.checkpoint_at_epoch = false;
    config_.full_state_at_epoch = false;
    config_.num_epochs = 4;  // 12 steps
  }

  Outcome run(const EventFn& on_event = {}) const {
    Session session(config_);
    session.set_event_callback(on_event);
    return session.run({});
  }

  std::vector<std::string> names(const char* folder) const {
    std::vector<std::string> result;
    if (fs::exists(root_ / "out" / folder))
      for (const fs::path& entry : folder_entries(root_ / "out" / folder)) result.push_back(entry.filename());
    return result;
  }

  fs::path state(int step) const { return root_ / "out" / "full_state" / fmt::format("step_{}", step); }
};

TEST_F(CheckpointsTest, KeepsTheLastAndEveryKthState) {
  config_.save_every_steps = 1;
  config_.keep_last = 2;
  config_.keep_every = 5;
  EXPECT_EQ(run(), Outcome::done);
  EXPECT_THAT(names("full_state"), ElementsAre("LATEST", "step_10", "step_11", "step_12", "step_5"));
}

TEST_F(CheckpointsTest, KeepsAsManyModelsAsAreAskedFor) {
  config_.save_samples = 4;
  config_.keep_models = 2;
  run();
  EXPECT_THAT(names("hf_format"), ElementsAre("samples_38", "samples_40"));
}

TEST_F(CheckpointsTest, ReplacesTheLastModelWhereOnlyThatIsKept) {
  config_.checkpoint_at_epoch = true;
  config_.keep_last_checkpoint_only = true;
  std::vector<std::string> told;
  run([&](const Event& event) {
    if (event.kind == EventKind::checkpoint) told.push_back(fs::path(event.path).filename());
    return true;
  });
  EXPECT_THAT(told, ElementsAre("last_epoch", "last_epoch", "last_epoch", "last_epoch"));
  EXPECT_THAT(names("hf_format"), ElementsAre("last_epoch"));
}

TEST_F(CheckpointsTest, SavesByTime) {
  config_.save_every_minutes = 1e-9;  // each step is later than that
  config_.keep_last = 0;
  run();
  EXPECT_EQ(names("full_state").size(), 13U);
}

TEST_F(CheckpointsTest, SavesOnRequestAndGoesOn) {
  Session session(config_);
  std::vector<std::int64_t> saved;
  session.set_event_callback([&](const Event& event) {
    if (event.kind == EventKind::step_end && event.metrics.step == 3) session.request_save();
    if (event.kind == EventKind::checkpoint) saved.push_back(event.metrics.step);
    return true;
  });
  EXPECT_EQ(session.run({}), Outcome::done);
  EXPECT_THAT(saved, ElementsAre(3, 3, 12));  // a model and a state; the model at the end
  EXPECT_THAT(names("full_state"), ElementsAre("LATEST", "step_3"));
}

// A rate that climbs until the weights are worse than before: the best model is one in the middle, and stays.
TEST_F(CheckpointsTest, KeepsTheBestModelAndItsState) {
  config_.validation_split = 0.3;
  config_.validation_frequency = 1;
  config_.save_every_steps = 1;
  config_.keep_last = 1;
  config_.keep_models = 1;
  config_.save_best = true;
  config_.learning_rate = 0.5;
  config_.lr_scheduler = "constant_with_warmup";
  config_.warmup_steps = 40;
  config_.num_epochs = 8;
  std::vector<double> losses;
  std::vector<std::int64_t> samples;
  run([&](const Event& event) {
    if (event.kind != EventKind::eval_end) return true;
    losses.push_back(event.metrics.val_loss);
    samples.push_back(event.metrics.samples_seen);
    return true;
  });
  const auto best = std::min_element(losses.begin(), losses.end()) - losses.begin();
  ASSERT_GT(best, 0);
  ASSERT_LT(best + 1, std::ssize(losses));
  EXPECT_EQ(read_file(root_ / "out/hf_format/BEST"),
            fmt::format("samples_{}\n", samples[static_cast<std::size_t>(best)]));
  EXPECT_EQ(read_file(root_ / "out/full_state/BEST"), fmt::format("step_{}\n", best + 1));
  EXPECT_EQ(names("hf_format").size(), 3U);   // BEST, the best, the last
  EXPECT_EQ(names("full_state").size(), 4U);  // and LATEST
  EXPECT_TRUE(fs::exists(state(static_cast<int>(best) + 1) / manifest_file));
}

TEST_F(CheckpointsTest, EndsEarlyAndStaysEnded) {
  config_.validation_split = 0.3;
  config_.validation_frequency = 1;
  config_.early_stopping_patience = 2;
  config_.early_stopping_threshold = 100;  // no validation but the first is better by that
  config_.save_every_steps = 1;
  std::int64_t steps = 0;
  const auto count = [&](const Event& event) {
    steps += event.kind == EventKind::step_end;
    return true;
  };
  EXPECT_EQ(run(count), Outcome::done);
  EXPECT_EQ(steps, 3);
  EXPECT_EQ(run(count), Outcome::done);  // going on does not
  EXPECT_EQ(steps, 3);
}

TEST_F(CheckpointsTest, EndsWithTheStepThatReachesMaxTokens) {
  std::vector<std::int64_t> tokens;
  {
    Session session(config_);
    while (session.step() == Outcome::stepped) tokens.push_back(session.metrics().tokens_seen);
  }
  for (const std::size_t steps : {std::size_t{1}, std::size_t{3}, std::size_t{7}, std::size_t{12}}) {
    for (const std::int64_t wanted : {tokens[steps - 1], steps > 1 ? tokens[steps - 2] + 1 : 1}) {
      config_.max_tokens = wanted;
      EXPECT_EQ(Session(config_).metrics().step_total, static_cast<std::int64_t>(steps)) << wanted;
    }
  }
  config_.max_tokens = 3 * tokens[2];  // three epochs of three steps
  config_.num_epochs = 1;
  EXPECT_EQ(Session(config_).metrics().step_total, 9);
  config_.max_steps = 5;
  EXPECT_EQ(Session(config_).metrics().step_total, 5);
  config_.max_tokens = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(Session(config_).metrics().step_total, 5);
  config_.max_steps = 0;
  EXPECT_THAT([&] { Session session(config_); }, ThrowsMessage<Error>(HasSubstr("max_tokens")));
}

TEST_F(CheckpointsTest, StopsAfterMaxMinutes) {
  config_.max_minutes = 1e-9;
  config_.save_every_steps = 100;
  EXPECT_EQ(run(), Outcome::stopped);
  config_.max_minutes = 1;
  EXPECT_EQ(run(), Outcome::done);
}

// The bytes of a save do not depend on what the run does while it is written.
TEST_F(CheckpointsTest, BackgroundSavesAreTheSameFiles) {
  config_.save_every_steps = 2;
  config_.save_samples = 8;
  config_.keep_last = 0;
  run();
  const auto read = [&](const char* out) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(root_ / out)) {
      const std::string name = fs::relative(entry.path(), root_ / out);
      if (entry.path().extension() == ".safetensors") files[name] = read_file(entry.path());
    }
    return files;
  };
  const auto expected = read("out");
  ASSERT_GT(expected.size(), 12U);
  for (const char* mode : {"wait", "skip"}) {
    config_.ckpt_output_dir = root_ / mode;
    config_.background_save = mode;
    run();
    const auto found = read(mode);
    if (std::string(mode) == "wait") {
      EXPECT_EQ(found.size(), expected.size());
    }
    EXPECT_TRUE(found.contains("full_state/step_12/weights.safetensors"));  // the last one is never left out
    for (const auto& [name, bytes] : found) EXPECT_EQ(bytes, expected.at(name)) << name;
  }
}

// Files stand where the states' folders should be: every save of a state fails.
TEST_F(CheckpointsTest, AFailedSaveStopsTheRunOrIsPassedOver) {
  fs::create_directories(root_ / "out" / "full_state");
  for (const int step : {3, 6, 9, 12}) std::ofstream(state(step)) << "no folder";
  config_.save_every_steps = 3;
  for (const char* mode : {"off", "wait"}) {
    config_.background_save = mode;
    config_.on_save_error = "stop";
    std::int64_t steps = 0;
    const auto count = [&](const Event& event) {
      steps += event.kind == EventKind::step_end;
      return true;
    };
    EXPECT_THROW(run(count), Error);
    EXPECT_LT(steps, 7);
    config_.on_save_error = "warn";
    steps = 0;
    EXPECT_THROW(run(count), Error);  // at the end
    EXPECT_EQ(steps, 12);
  }
}

// The end of a run is saved even where what is due with it cannot be.
TEST_F(CheckpointsTest, AModelThatFailsDoesNotTakeTheStateWithIt) {
  fs::create_directories(root_ / "out" / "hf_format");
  config_.save_every_steps = 12;
  config_.save_samples = 4;
  config_.on_save_error = "warn";
  Session session(config_);
  session.set_event_callback([&](const Event& event) {
    if (event.kind == EventKind::step_end && event.metrics.step == 1) fs::remove(root_ / "model" / "config.json");
    return true;
  });
  EXPECT_THROW(session.run({}), Error);
  EXPECT_THAT(names("full_state"), ElementsAre("LATEST", "step_12"));
}

TEST_F(CheckpointsTest, AHostsErrorIsNoFailedSave) {
  config_.save_every_steps = 2;
  config_.on_save_error = "warn";
  for (const char* mode : {"off", "wait"}) {
    config_.background_save = mode;
    EXPECT_THROW(run([](const Event& event) -> bool {
                   if (event.kind == EventKind::checkpoint) fail(Status::callback, "the host has had enough");
                   return true;
                 }),
                 Error);
    fs::remove_all(root_ / "out");
  }
}

TEST_F(CheckpointsTest, WhatIsAskedForIsNeverLeftOut) {
  config_.background_save = "skip";
  config_.keep_last = 0;
  Session session(config_);
  session.set_event_callback([&](const Event& event) {
    if (event.kind == EventKind::step_end) session.request_save();
    return true;
  });
  session.run({});
  EXPECT_EQ(names("full_state").size(), 13U);
}

TEST_F(CheckpointsTest, OneRunAtATimeWritesToAFolder) {
  Session other(config_);
  EXPECT_THROW(run([&](const Event&) {
                 other.run({});
                 return true;
               }),
               Error);
}

// A run that is stopped within a validation makes it up before it goes on.
TEST_F(CheckpointsTest, AValidationThatWasCutOffIsMadeUp) {
  config_.validation_split = 0.3;
  config_.validation_frequency = 2;
  config_.save_every_steps = 1;
  const auto validations = [&] {
    std::ifstream file(root_ / "out" / metrics_file_name);
    std::map<std::int64_t, double> losses;
    for (std::string line; std::getline(file, line);)
      if (const Json record = Json::parse(line); record.contains("val_loss"))
        losses[record["step"]] = record["val_loss"];
    return losses;
  };
  run();
  const auto expected = validations();
  ASSERT_EQ(expected.size(), 4U);
  fs::remove_all(root_ / "out");
  const CancelToken cancel = CancelToken::make();
  Session session(config_);
  session.set_event_callback([&](const Event& event) {
    if (event.kind == EventKind::step_end && event.metrics.step == 4) cancel.cancel();
    return true;
  });
  EXPECT_EQ(session.run(cancel), Outcome::stopped);
  EXPECT_EQ(validations().size(), 1U);
  run();
  EXPECT_EQ(validations(), expected);
}

TEST_F(CheckpointsTest, BestIsNamedAgainWhereAKillCameBetween) {
  config_.validation_split = 0.3;
  config_.validation_frequency = 2;
  config_.save_every_steps = 2;
  config_.keep_last = 0;
  config_.save_best = true;
  config_.max_steps = 4;
  run();
  const std::string state = read_file(root_ / "out/full_state/BEST");
  const std::string model = read_file(root_ / "out/hf_format/BEST");
  write_file(root_ / "out/full_state/BEST", "step_1\n");
  fs::remove(root_ / "out/hf_format/BEST");
  run();
  EXPECT_EQ(read_file(root_ / "out/full_state/BEST"), state);
  EXPECT_EQ(read_file(root_ / "out/hf_format/BEST"), model);
}

TEST_F(CheckpointsTest, OptionsThatNeedValidationAreRefusedWithoutIt) {
  auto data = std::make_shared<Dataset>(load_data(config_, {}));
  config_.data_path.clear();
  config_.early_stopping_patience = 2;
  Session session(config_);
  EXPECT_THAT([&] { session.set_data(data, nullptr); }, ThrowsMessage<Error>(HasSubstr("early_stopping_patience")));
  session.set_data(data, data);
}

TEST(ValidationHistory, TheBestIsLowerByMoreThanTheThreshold) {
  ValidationHistory history;
  history.record(NAN, 1, 4, 0.1);
  EXPECT_EQ(history.best_step, 0);
  history.record(2.0, 2, 8, 0.1);
  history.record(1.95, 3, 12, 0.1);
  history.record(NAN, 4, 16, 0.1);
  EXPECT_EQ(history.best_step, 2);
  EXPECT_EQ(history.best_samples, 8);
  EXPECT_EQ(history.misses, 2);
  history.record(1.8, 5, 20, 0.1);
  EXPECT_EQ(history.misses, 0);
  EXPECT_EQ(history.best_loss, 1.8);
  EXPECT_EQ(history.last_step, 5);
}

TEST_F(CheckpointsTest, SkipsStepsThatAreNotFiniteUpToABound) {
  config_.learning_rate = 1e30;  // the first update breaks every weight
  config_.on_nonfinite = "skip";
  config_.max_skipped_steps = 3;
  config_.ckpt_output_dir = "";
  Session session(config_);
  EXPECT_EQ(session.step(), Outcome::stepped);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(session.step(), Outcome::stepped);
  EXPECT_EQ(session.metrics().skipped_steps, 3);
  EXPECT_THAT([&] { session.step(); }, ThrowsMessage<Error>(HasSubstr("max_skipped_steps (3)")));
}

TEST_F(CheckpointsTest, NoiseAndZLossChangeTheGradientButNotThePacking) {
  const std::vector<double> plain = losses();
  for (const bool noise : {true, false}) {
    config_.neftune_alpha = noise ? 5 : 0;
    config_.z_loss = noise ? 0 : 0.1;
    config_.max_batch_len = 256;
    const std::vector<double> whole = losses();
    if (noise) {
      EXPECT_GT(std::fabs(whole[0] - plain[0]), 1e-6);
    } else {
      EXPECT_EQ(whole[0], plain[0]);  // the loss that is told is without it
    }
    EXPECT_GT(std::fabs(whole[1] - plain[1]), 1e-6);
    config_.max_batch_len = 64;
    const std::vector<double> pieces = losses();
    for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_NEAR(pieces[i], whole[i], 2e-5);
  }
}

TEST_F(CheckpointsTest, GoesOnWithOtherDataOnlyWhereForced) {
  config_.save_every_steps = 2;
  config_.max_steps = 2;
  run();
  config_.max_steps = 4;
  write_records(9);
  EXPECT_THAT([&] { Session session(config_); }, ThrowsMessage<Error>(HasSubstr("resume_force")));
  config_.resume_force = true;
  EXPECT_EQ(Session(config_).metrics().step, 2);
  config_.effective_batch_size = 3;
  EXPECT_EQ(run(), Outcome::done);
}

TEST_F(CheckpointsTest, ExportsAStateAsTheRunExportsItself) {
  config_.save_every_steps = 12;
  run();
  export_state(state(12), root_ / "exported", {});
  EXPECT_EQ(read_file(root_ / "exported/config.json"), read_file(root_ / "model/config.json"));
  const SafetensorsFile expected(root_ / "out/hf_format/samples_40/model.safetensors");
  const SafetensorsFile found(root_ / "exported/model.safetensors");
  ASSERT_EQ(found.tensors().size(), expected.tensors().size());
  for (const auto& [name, view] : expected.tensors()) {
    const TensorView& other = found.tensors().at(name);
    EXPECT_TRUE(std::equal(view.bytes.begin(), view.bytes.end(), other.bytes.begin(), other.bytes.end())) << name;
  }
  export_state(state(12), root_ / "half", {.model_path = {}, .save_dtype = "bfloat16"});
  EXPECT_EQ(parse_json(read_file(root_ / "half/config.json"), "config.json")["dtype"], "bfloat16");
  EXPECT_THAT(
      [&] { export_state(state(12), root_ / "other", {.model_path = ILT_TEST_DATA "/llama/tied", .save_dtype = {}}); },
      ThrowsMessage<Error>(HasSubstr("give the model_path")));
  fs::resize_file(state(12) / weights_file, 1000);
  EXPECT_THROW(export_state(state(12), root_ / "broken", {}), Error);
  EXPECT_FALSE(fs::exists(root_ / "broken"));
}

TEST_F(CheckpointsTest, TellsHowStatesDiffer) {
  config_.save_every_steps = 1;
  config_.keep_last = 0;
  config_.max_steps = 2;
  run();
  EXPECT_TRUE(diff_states(state(1), state(1))["equal"]);
  const Json diff = diff_states(state(1), state(2));
  EXPECT_FALSE(diff["equal"]);
  EXPECT_EQ(diff["run"]["step"], Json({1, 2}));
  EXPECT_THAT(diff["options"], IsEmpty());
  EXPECT_EQ(diff["same_tensors"], 0);
  std::set<std::string> files;
  for (const Json& tensor : diff["tensors"]) {
    files.insert(tensor["file"]);
    EXPECT_GT(tensor["max_abs"], 0);
    const double most = tensor["file"] == weights_file ? 1.1e-3 : 1e9;  // AdamW moves by about the rate
    EXPECT_LE(tensor["max_abs"], most);
  }
  EXPECT_THAT(files, ElementsAre(optimizer_file, weights_file));
}

}  // namespace
}  // namespace ilt
