// When a run saves, and the two ways of doing it: while the run waits, or from a copy while it goes on.
#include "train/checkpoints.h"

#include <exception>
#include <memory>
#include <utility>

#include "base/log.h"

namespace ilt {

namespace fs = std::filesystem;

struct Checkpoints::Work {
  Snapshot snapshot;
  Due due;
  std::int64_t step, samples;
};

fs::path models_folder(const Config& config) {
  return CheckpointStore::of_models(config.ckpt_output_dir).folder();
}

Checkpoints::Checkpoints(const Config& config, SnapshotFn snapshot, SavedFn on_saved, std::int64_t begun_at)
    : config_(config),
      snapshot_(std::move(snapshot)),
      on_saved_(std::move(on_saved)),
      states_(CheckpointStore::of_states(config.ckpt_output_dir, {config.keep_last, config.keep_every})),
      models_(CheckpointStore::of_models(config.ckpt_output_dir, {config.keep_models, 0})),
      begun_at_(begun_at) {}

bool Checkpoints::saves_states() const {
  return config_.save_every_steps > 0 || config_.save_every_minutes > 0 || config_.full_state_at_epoch;
}

Due Checkpoints::due(const StepMetrics& before, const StepMetrics& now, bool epoch_ends, bool requested) const {
  const std::int64_t samples = config_.save_samples;
  const std::int64_t steps = config_.save_every_steps;
  const double seconds = 60 * config_.save_every_minutes;
  Due due{.model = requested, .state = requested};
  due.model |= samples > 0 && before.samples_seen / samples < now.samples_seen / samples;
  due.model |= epoch_ends && config_.checkpoint_at_epoch;
  due.state |= steps > 0 && now.step % steps == 0;
  due.state |= seconds > 0 && since_state_.seconds() >= seconds;
  due.state |= epoch_ends && config_.full_state_at_epoch;
  return due;
}

Due Checkpoints::due_as_best() const {
  return {.model = config_.save_best, .state = config_.save_best && saves_states(), .best = config_.save_best};
}

void Checkpoints::settle(const std::function<void()>& work) {
  try {
    work();
  } catch (const std::exception& error) {
    if (config_.on_save_error == "stop") throw;
    log::emit(log::Level::error, "train", "a save has failed, and the run goes on without it: {}", error.what());
  }
}

void Checkpoints::write(const Work& work) {
  const auto& [snapshot, due, step, samples] = work;
  // The state last: a run that goes on from it has the model that was due.
  if (due.model) {
    const auto to = [&](const fs::path& path) { write_model(snapshot, path); };
    if (config_.keep_last_checkpoint_only) {
      to(models_.folder() / "last_epoch");
      written_.model = models_.folder() / "last_epoch";
    } else {
      written_.model = models_.save(samples, due.best, to);
    }
    written_.model_step = step;
  }
  if (due.state) {
    written_.state = states_.save(step, due.best, [&](const fs::path& path) { save_full_state(path, snapshot.state); });
    written_.state_step = step;
  }
}

void Checkpoints::tell_written() {
  const Written done = std::exchange(written_, {});
  if (done.model_step > 0) saved_model_ = done.model_step;
  if (done.state_step > 0) saved_state_ = done.state_step;
  for (const auto& [path, step] : {std::pair(done.model, done.model_step), std::pair(done.state, done.state_step)}) {
    if (step == 0) continue;
    log::info("train", "step {}: saved {}", step, path.string());
    on_saved_(path.string());
  }
}

void Checkpoints::finish_background() {
  std::exception_ptr failed;
  try {
    writer_.finish();
  } catch (...) {
    failed = std::current_exception();
  }
  tell_written();
  if (failed) settle([&] { std::rethrow_exception(failed); });
}

void Checkpoints::poll() {
  if (writer_.started() && !writer_.running()) finish_background();
}

Checkpoints::Work Checkpoints::take(const Due& due, const StepMetrics& now) {
  if (due.state) since_state_ = Stopwatch();
  return {snapshot_(due.state ? SnapshotOf::state : SnapshotOf::weights), due, now.step, now.samples_seen};
}

void Checkpoints::save_now(const Due& due, const StepMetrics& now) {
  const Work work = take(due, now);
  std::exception_ptr failed;
  try {
    write(work);
  } catch (...) {
    failed = std::current_exception();
  }
  tell_written();
  if (failed) std::rethrow_exception(failed);
}

void Checkpoints::save(const Due& due, const StepMetrics& now) {
  if (!due.any()) return;
  if (config_.ckpt_output_dir.empty()) {
    log::warn("train", "step {}: a save was asked for, but there is no ckpt_output_dir to save to", now.step);
    return;
  }
  if (config_.background_save == "off") return settle([&] { save_now(due, now); });
  if (writer_.running() && config_.background_save == "skip") {
    log::warn("train", "step {}: the save is left out, as the one before it is still being written", now.step);
    return;
  }
  finish_background();
  settle([&] {
    const auto work = std::make_shared<Work>(take(due, now));
    work->snapshot.detach();
    writer_.start([this, work] { write(*work); });
  });
}

void Checkpoints::save_last(const StepMetrics& now, bool best) {
  finish_background();
  if (config_.ckpt_output_dir.empty()) return;
  const Due due{.model = now.step > 0 && now.step != saved_model_,
                .state = now.step > begun_at_ && now.step != saved_state_ && saves_states(),
                .best = best && config_.save_best};
  if (due.any()) save_now(due, now);
  if (due.best && !due.model && now.step == saved_model_) models_.mark_best(now.samples_seen);
  if (due.best && !due.state && now.step == saved_state_) states_.mark_best(now.step);
}

}  // namespace ilt
