// The loop of a run: steps until the end, with metrics, validation, checkpoints and events on the way.
#pragma once

#include <functional>
#include <string>

#include "base/cancel.h"
#include "config/config.h"
#include "train/checkpoints.h"
#include "train/progress.h"

namespace ilt {

enum class EventKind { run_begin = 1, step_end = 2, eval_end = 3, checkpoint = 4, epoch_end = 5, run_end = 6 };

struct Event {
  EventKind kind;
  const StepMetrics& metrics;
  std::string path;  // of a checkpoint
};
// Returns false to stop after this step; may throw.
using EventFn = std::function<bool(const Event&)>;

enum class Outcome { stepped, done, stopped };

// What the loop drives: one optimizer step, validation (empty where the run has none), and what a save writes.
struct LoopActions {
  std::function<Outcome()> step;
  std::function<void(const CancelToken&)> validate;
  std::function<const Progress&()> progress;
  SnapshotFn snapshot;
  SaveRequest* save_request;  // of others, for a save between two steps
};

enum class RunUntil { end, epoch };

// Runs what is left of the run: until its steps are used up, early_stopping_patience is, or the callback, the token or
// max_minutes stops it. Validation comes each validation_frequency steps (0: at each epoch's end) and at the end of the
// run. What is saved when: checkpoints.h. With RunUntil::epoch, `stepped` tells of an epoch's end that is not the
// run's.
Outcome run_loop(const Config& config, const LoopActions& actions, const EventFn& on_event, const CancelToken& cancel,
                 RunUntil until = RunUntil::end);

}  // namespace ilt
