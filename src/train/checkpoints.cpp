// When a run saves, and the two ways of doing it: while the run waits, or from a copy while it goes on.
#include "train/checkpoints.h"

#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "base/log.h"

namespace ilt {

namespace fs = std::filesystem;

namespace {

constexpr const char* last_model = "last_epoch";  // InstructLab's name

}  // namespace

struct Checkpoints::Work {
  Snapshot snapshot;
  Due due;
  std::int64_t step, samples;
};

fs::path models_folder(const Config& config) {
  return CheckpointStore::of_models(config.ckpt_output_dir).folder();
}

Checkpoints::Checkpoints(const Config& config, SnapshotFn snapshot, SavedFn on_saved, const Progress& begun)
    : config_(config),
      snapshot_(std::move(snapshot)),
      on_saved_(std::move(on_saved)),
      states_(CheckpointStore::of_states(config.ckpt_output_dir, {config.keep_last, config.keep_every})),
      models_(CheckpointStore::of_models(config.ckpt_output_dir, {config.keep_models, 0})),
      begun_at_(begun.metrics.step),
      saved_state_(begun_at_) {
  if (config.ckpt_output_dir.empty()) return;
  if (begun_at_ == 0) models_.spare_what_is_there();
  if (config.save_best) {  // a kill may have come between a save and its name in BEST; or BEST is another run's
    const ValidationHistory& history = begun.validation;
    const bool known = history.best_step > 0;
    states_.set_best(known ? std::optional(history.best_step) : std::nullopt);
    models_.set_best(known ? std::optional(history.best_samples) : std::nullopt);
  }
  if (begun_at_ == 0) return;
  // A kill, or a disk, may have kept LATEST from being written, and what need not stay from being removed.
  states_.set_latest(begun_at_);
  states_.prune(begun_at_);
  models_.prune(begun.metrics.samples_seen);
}

bool Checkpoints::saves_states() const {
  return config_.save_every_steps > 0 || config_.save_every_minutes > 0 || config_.full_state_at_epoch;
}

Due Checkpoints::due(const StepMetrics& before, const StepMetrics& now, bool epoch_ends, bool best, bool asked) const {
  const std::int64_t samples = config_.save_samples;
  const std::int64_t steps = config_.save_every_steps;
  const double seconds = 60 * config_.save_every_minutes;
  Due due{.best = best && config_.save_best, .asked = asked};
  due.model = asked || due.best || (epoch_ends && config_.checkpoint_at_epoch);
  due.model |= samples > 0 && before.samples_seen / samples < now.samples_seen / samples;
  due.state = asked || (due.best && saves_states()) || (epoch_ends && config_.full_state_at_epoch);
  due.state |= steps > 0 && now.step % steps == 0;
  due.state |= seconds > 0 && since_state_.seconds() >= seconds;
  return due;
}

Checkpoints::Work Checkpoints::take(const Due& due, const StepMetrics& now) {
  return {snapshot_(due.state ? SnapshotOf::state : SnapshotOf::weights), due, now.step, now.samples_seen};
}

// One that fails is no reason to go without the other.
void Checkpoints::write(const Work& work) {
  const auto& [snapshot, due, step, samples] = work;
  std::exception_ptr failed;
  if (due.model) {
    const auto to = [&](const fs::path& path) {
      write_model(snapshot, path);
      written_.model = path;
      written_.model_step = step;
    };
    try {
      config_.keep_last_checkpoint_only ? to(models_.folder() / last_model) : void(models_.save(samples, due.best, to));
    } catch (...) {
      failed = std::current_exception();
    }
  }
  if (due.state) {
    states_.save(step, due.best, [&](const fs::path& path) {
      save_full_state(path, snapshot.state);
      written_.state = path;
      written_.state_step = step;
    });
  }
  if (failed) std::rethrow_exception(failed);
}

void Checkpoints::conclude(std::exception_ptr failed) {
  const Written done = std::exchange(written_, {});
  if (done.model_step > 0) saved_model_ = done.model_step;
  if (done.state_step > 0) saved_state_ = done.state_step;
  for (const auto& [path, step] : {std::pair(done.model, done.model_step), std::pair(done.state, done.state_step)}) {
    if (step > 0) log::info("train", "step {}: saved {}", step, path.string());
  }
  try {
    if (failed) std::rethrow_exception(failed);
  } catch (const std::exception& error) {
    if (config_.on_save_error == "stop") throw;
    log::emit(log::Level::error, "train", "a save has failed, and the run goes on without it: {}", error.what());
  }
  if (done.model_step > 0) on_saved_(done.model.string());
  if (done.state_step > 0) on_saved_(done.state.string());
}

void Checkpoints::finish() {
  std::exception_ptr failed;
  try {
    writer_.finish();
  } catch (...) {
    failed = std::current_exception();
  }
  conclude(failed);
}

void Checkpoints::poll() {
  if (writer_.started() && !writer_.running()) finish();
}

void Checkpoints::save_now(const Due& due, const StepMetrics& now) {
  std::exception_ptr failed;
  try {
    write(take(due, now));
  } catch (...) {
    failed = std::current_exception();
  }
  conclude(failed);
}

void Checkpoints::save(const Due& due, const StepMetrics& now) {
  if (!due.any()) return;
  if (config_.ckpt_output_dir.empty()) {
    if (due.asked)
      log::warn("train", "step {}: a save was asked for, but there is no ckpt_output_dir to save to", now.step);
    return;
  }
  if (due.state) since_state_ = Stopwatch();
  if (config_.background_save == "off") return save_now(due, now);
  if (writer_.running() && config_.background_save == "skip" && due.may_be_left_out()) {
    log::warn("train", "step {}: the save is left out, as the one before it is still being written", now.step);
    return;
  }
  finish();
  std::exception_ptr failed;
  try {
    const auto work = std::make_shared<Work>(take(due, now));
    work->snapshot.detach();
    writer_.start([this, work] { write(*work); });
  } catch (...) {
    failed = std::current_exception();
  }
  if (failed) conclude(failed);
}

void Checkpoints::save_last(const StepMetrics& now, bool best, bool asked) {
  std::exception_ptr failed;
  const auto attempt = [&](const std::function<void()>& work) {
    try {
      work();
    } catch (...) {
      if (!failed) failed = std::current_exception();
    }
  };
  attempt([&] { finish(); });
  if (config_.ckpt_output_dir.empty()) return;
  const bool state = asked || (now.step > begun_at_ && saves_states());
  const Due due{.model = now.step > 0 && now.step != saved_model_,
                .state = state && now.step != saved_state_,
                .best = best && config_.save_best};
  if (due.any()) attempt([&] { write(take(due, now)); });
  const Written written = written_;
  attempt([&] { conclude({}); });
  if (due.best && written.model_step == 0 && now.step == saved_model_) models_.set_best(now.samples_seen);
  if (due.best && written.state_step == 0 && now.step == saved_state_) states_.set_best(now.step);
  if (failed) std::rethrow_exception(failed);
}

void Checkpoints::abandon() noexcept {
  try {
    writer_.finish();
    if (written_.state_step > 0) log::info("train", "step {}: saved {}", written_.state_step, written_.state.string());
  } catch (const std::exception& error) {
    log::emit(log::Level::error, "train", "a save in the background has failed: {}", error.what());
  } catch (...) {
  }
}

}  // namespace ilt
