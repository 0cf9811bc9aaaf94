// The loop of a run.
#include "train/loop.h"

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
  Run(const Config& config, const LoopActions& actions, const EventFn& on_event, const CancelToken& cancel)
      : config_(config),
        actions_(actions),
        on_event_(on_event),
        cancel_(cancel),
        checkpoints_(
            config, actions.snapshot, [this](const std::string& path) { tell(EventKind::checkpoint, path); },
            metrics().step) {
    if (!config.ckpt_output_dir.empty())
      file_.emplace(fs::path(config.ckpt_output_dir) / metrics_file_name, config_to_json(config));
  }

  Outcome whole() {
    tell(EventKind::run_begin);
    Outcome outcome = Outcome::stepped;
    while (outcome == Outcome::stepped) outcome = next();
    if (outcome == Outcome::done) validate();
    checkpoints_.save_last(metrics(), is_best());
    tell(EventKind::run_end);
    return outcome;
  }

 private:
  const StepMetrics& metrics() const { return actions_.progress().metrics; }

  void tell(EventKind kind, const std::string& path = "") {
    if (on_event_ && !on_event_(Event{kind, metrics(), path})) keep_going_ = false;
  }

  // One step, and what comes due with it.
  Outcome next() {
    if (!keep_going_ || cancel_.cancelled() || out_of_time()) return Outcome::stopped;
    if (out_of_patience()) return Outcome::done;
    const StepMetrics before = metrics();
    if (const Outcome outcome = actions_.step(); outcome != Outcome::stepped) return outcome;
    const StepMetrics& now = metrics();
    if (file_) file_->append(now);
    tell(EventKind::step_end);
    const bool epoch_ends = now.num_epoch_steps > 0 && now.step % now.num_epoch_steps == 0;
    if (epoch_ends) tell(EventKind::epoch_end);
    const std::int64_t every = config_.validation_frequency;
    if (every > 0 ? now.step % every == 0 : epoch_ends) validate();
    checkpoints_.poll();
    checkpoints_.save(due(before, epoch_ends), now);
    return Outcome::stepped;
  }

  Due due(const StepMetrics& before, bool epoch_ends) {
    Due due = checkpoints_.due(before, metrics(), epoch_ends, actions_.save_request->take());
    if (!is_best()) return due;
    const Due best = checkpoints_.due_as_best();
    return {due.model || best.model, due.state || best.state, best.best};
  }

  void validate() {
    if (!actions_.validate || actions_.progress().validation.last_step == metrics().step) return;
    try {
      actions_.validate(cancel_);
    } catch (const Stopped&) {
      return;  // the loop sees the token next
    }
    log::info("train", "step {}: validation loss {:.4f}", metrics().step, metrics().val_loss);
    if (file_) file_->append(validation_record(metrics()));
    tell(EventKind::eval_end);
  }

  // Whether a validation at this step was the best so far.
  bool is_best() const { return metrics().step > 0 && actions_.progress().validation.best_step == metrics().step; }

  bool out_of_patience() const {
    const ValidationHistory& history = actions_.progress().validation;
    const std::int64_t patience = config_.early_stopping_patience;
    if (patience == 0 || history.misses < patience) return false;
    log::info("train", "step {}: the run ends early: no validation was better than that of step {} ({:.4f}) since",
              metrics().step, history.best_step, history.best_loss);
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
  std::optional<MetricsFile> file_;
  Stopwatch watch_;
  bool keep_going_ = true;
  Checkpoints checkpoints_;
};

}  // namespace

Outcome run_loop(const Config& config, const LoopActions& actions, const EventFn& on_event, const CancelToken& cancel) {
  return Run(config, actions, on_event, cancel).whole();
}

}  // namespace ilt
