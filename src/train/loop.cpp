// The loop of a run.
#include "train/loop.h"

#include <cmath>
#include <filesystem>
#include <optional>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "config/options.h"
#include "observe/metrics_file.h"

namespace ilt {

namespace {

namespace fs = std::filesystem;

class Run {
 public:
  Run(const Config& config, const LoopActions& actions, const EventFn& on_event, const CancelToken& cancel,
      RunUntil until)
      : config_(config),
        actions_(actions),
        on_event_(on_event),
        cancel_(cancel),
        until_(until),
        checkpoints_(
            config, actions.snapshot, [this](const std::string& path) { tell(EventKind::checkpoint, path); },
            actions.progress()) {
    if (!config.ckpt_output_dir.empty())
      file_.emplace(fs::path(config.ckpt_output_dir) / metrics_file_name, config_to_json(config));
  }

  Outcome whole() {
    try {
      tell(EventKind::run_begin);
      Outcome outcome = catch_up();
      while (outcome == Outcome::stepped && !at_epoch_to_pause()) outcome = next();
      if (outcome == Outcome::stepped) outcome = what_stops();
      if (outcome == Outcome::done && !validate()) outcome = Outcome::stopped;
      outcome == Outcome::stepped ? checkpoints_.finish()
                                  : checkpoints_.save_last(metrics(), is_best(), actions_.save_request->take());
      tell(EventKind::run_end);
      return outcome;
    } catch (...) {
      checkpoints_.abandon();
      throw;
    }
  }

 private:
  const StepMetrics& metrics() const { return actions_.progress().metrics; }

  void tell(EventKind kind, const std::string& path = "") {
    if (on_event_ && !on_event_(Event{kind, metrics(), path})) keep_going_ = false;
  }

  bool ends_epoch() const { return metrics().num_epoch_steps > 0 && metrics().step % metrics().num_epoch_steps == 0; }
  bool validation_due() const {
    const std::int64_t every = config_.validation_frequency;
    return metrics().step > 0 && (every > 0 ? metrics().step % every == 0 : ends_epoch());
  }

  // A run that was stopped within a validation makes it up: what follows is then as if it had not been.
  Outcome catch_up() {
    if (!validation_due()) return Outcome::stepped;
    const bool was_best = is_best();
    if (!validate()) return Outcome::stopped;
    if (is_best() && !was_best)
      checkpoints_.save(checkpoints_.due(metrics(), metrics(), false, true, false), metrics());
    return Outcome::stepped;
  }

  // `stepped` where nothing does.
  Outcome what_stops() const {
    if (metrics().step >= metrics().step_total || out_of_patience()) return Outcome::done;
    return !keep_going_ || cancel_.cancelled() || out_of_time() ? Outcome::stopped : Outcome::stepped;
  }

  bool at_epoch_to_pause() const { return until_ == RunUntil::epoch && steps_ > 0 && ends_epoch(); }

  // One step, and what comes due with it.
  Outcome next() {
    if (const Outcome outcome = what_stops(); outcome != Outcome::stepped) return outcome;
    const StepMetrics before = metrics();
    if (const Outcome outcome = actions_.step(); outcome != Outcome::stepped) return outcome;
    ++steps_;
    const StepMetrics& now = metrics();
    if (file_) file_->append(now);
    tell(EventKind::step_end);
    if (ends_epoch()) tell(EventKind::epoch_end);
    if (validation_due()) validate();
    checkpoints_.poll();
    const bool asked = actions_.save_request->take();
    checkpoints_.save(checkpoints_.due(before, now, ends_epoch(), is_best(), asked), now);
    return Outcome::stepped;
  }

  // False where it was asked to stop on the way.
  bool validate() {
    if (!actions_.validate || actions_.progress().validation.last_step == metrics().step) return true;
    try {
      actions_.validate(cancel_);
    } catch (const Stopped&) {
      return false;
    }
    const auto level = std::isfinite(metrics().val_loss) ? log::Level::info : log::Level::warn;
    log::emit(level, "train", "step {}: validation loss {:.4f}", metrics().step, metrics().val_loss);
    if (file_) file_->append(validation_record(metrics()));
    tell(EventKind::eval_end);
    return true;
  }

  // Whether a validation at this step was the best so far.
  bool is_best() const { return metrics().step > 0 && actions_.progress().validation.best_step == metrics().step; }

  bool out_of_patience() const {
    const ValidationHistory& history = actions_.progress().validation;
    const std::int64_t patience = config_.early_stopping_patience;
    if (patience == 0 || history.misses < patience) return false;
    if (history.best_step > 0)
      log::info("train", "step {}: the run ends early: no validation was better than that of step {} ({:.4f}) since",
                metrics().step, history.best_step, history.best_loss);
    else
      log::warn("train", "step {}: the run ends early: no validation had a loss that is finite", metrics().step);
    return true;
  }

  bool out_of_time() const {
    if (config_.max_minutes == 0 || watch_.seconds() < 60 * config_.max_minutes) return false;
    log::info("train", "step {}: the run stops, as max_minutes ({}) have passed", metrics().step, config_.max_minutes);
    return true;
  }

  const Config& config_;
  const LoopActions& actions_;
  const EventFn& on_event_;
  const CancelToken& cancel_;
  RunUntil until_;
  std::int64_t steps_ = 0;
  std::optional<MetricsFile> file_;
  Stopwatch watch_;
  bool keep_going_ = true;
  Checkpoints checkpoints_;
};

}  // namespace

Outcome run_loop(const Config& config, const LoopActions& actions, const EventFn& on_event, const CancelToken& cancel,
                 RunUntil until) {
  return Run(config, actions, on_event, cancel, until).whole();
}

}  // namespace ilt
