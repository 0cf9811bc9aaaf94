// The loop of a run.
#include "train/loop.h"

#include "base/error.h"
#include "base/log.h"
#include "checkpoint/store.h"
#include "config/options.h"

namespace ilt {

namespace {

namespace fs = std::filesystem;

// Decides when to save, and under which name.
class Checkpoints {
 public:
  Checkpoints(const Config& config, const LoopActions& actions)
      : config_(config), actions_(actions), store_(config.ckpt_output_dir, config.keep_last) {}

  bool due(const StepMetrics& before, const StepMetrics& now, bool epoch_ends) const {
    const std::int64_t every = config_.save_samples;
    const bool crossed = every > 0 && before.samples_seen / every < now.samples_seen / every;
    return crossed || (epoch_ends && config_.checkpoint_at_epoch);
  }

  bool state_due(const StepMetrics& now, bool epoch_ends) const {
    const std::int64_t every = config_.save_every_steps;
    return (every > 0 && now.step % every == 0) || (epoch_ends && config_.full_state_at_epoch);
  }
  bool saves_states() const { return config_.save_every_steps > 0 || config_.full_state_at_epoch; }

  // Saves unless this state is saved already; the path, or "" where nothing was to be done.
  std::string save(const StepMetrics& metrics) {
    if (config_.ckpt_output_dir.empty() || metrics.step == saved_step_) return "";
    const fs::path path = checkpoint_folder(config_) / fmt::format("samples_{}", metrics.samples_seen);
    actions_.save(path);
    saved_step_ = metrics.step;
    log::info("train", "step {}: saved {}", metrics.step, path.string());
    return path.string();
  }

  std::string save_state(const StepMetrics& metrics) {
    if (config_.ckpt_output_dir.empty() || metrics.step == saved_state_) return "";
    const fs::path path = store_.save(metrics.step, actions_.save_state);
    saved_state_ = metrics.step;
    log::info("train", "step {}: saved {}", metrics.step, path.string());
    return path.string();
  }

 private:
  const Config& config_;
  const LoopActions& actions_;
  StateStore store_;
  std::int64_t saved_step_ = 0;
  std::int64_t saved_state_ = 0;
};

}  // namespace

fs::path checkpoint_folder(const Config& config) {
  return fs::path(config.ckpt_output_dir) / "hf_format";
}

Outcome run_loop(const Config& config, const LoopActions& actions, const EventFn& on_event, const CancelToken& cancel) {
  std::optional<MetricsFile> file;
  if (!config.ckpt_output_dir.empty())
    file.emplace(fs::path(config.ckpt_output_dir) / metrics_file_name, config_to_json(config));
  Checkpoints checkpoints(config, actions);
  bool keep_going = true;
  const auto tell = [&](EventKind kind, const std::string& path = "") {
    if (on_event && !on_event(Event{kind, actions.metrics(), path})) keep_going = false;
  };
  const auto save = [&] {
    if (const std::string path = checkpoints.save(actions.metrics()); !path.empty()) tell(EventKind::checkpoint, path);
  };

  const auto save_state = [&] {
    if (const std::string path = checkpoints.save_state(actions.metrics()); !path.empty())
      tell(EventKind::checkpoint, path);
  };

  std::int64_t validated_step = 0;
  const auto validate = [&] {
    if (!actions.validate || validated_step == actions.metrics().step) return;
    try {
      actions.validate(cancel);
    } catch (const Stopped&) {
      return;  // the loop sees the token next
    }
    validated_step = actions.metrics().step;
    log::info("train", "step {}: validation loss {:.4f}", validated_step, actions.metrics().val_loss);
    if (file) file->append(validation_record(actions.metrics()));
    tell(EventKind::eval_end);
  };

  const std::int64_t begun_at = actions.metrics().step;
  tell(EventKind::run_begin);
  Outcome outcome = Outcome::stepped;
  while (outcome == Outcome::stepped) {
    if (!keep_going || cancel.cancelled()) {
      outcome = Outcome::stopped;
      break;
    }
    const StepMetrics before = actions.metrics();
    outcome = actions.step();
    if (outcome != Outcome::stepped) break;
    const StepMetrics& now = actions.metrics();
    if (file) file->append(now);
    tell(EventKind::step_end);
    const bool epoch_ends = now.num_epoch_steps > 0 && now.step % now.num_epoch_steps == 0;
    if (epoch_ends) tell(EventKind::epoch_end);
    const std::int64_t every = config.validation_frequency;
    if (every > 0 ? now.step % every == 0 : epoch_ends) validate();
    // The state last: a run that goes on from it has the model that was due.
    if (checkpoints.due(before, now, epoch_ends)) save();
    if (checkpoints.state_due(now, epoch_ends)) save_state();
  }
  if (outcome == Outcome::done) validate();
  if (actions.metrics().step > 0) save();
  if (actions.metrics().step > begun_at && checkpoints.saves_states()) save_state();
  tell(EventKind::run_end);
  return outcome;
}

}  // namespace ilt
