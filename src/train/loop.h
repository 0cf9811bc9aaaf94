// The loop of a run: steps until the end, with metrics, checkpoints and events on the way.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/cancel.h"
#include "config/config.h"
#include "observe/metrics.h"
#include "observe/metrics_file.h"

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

// What the loop drives: one optimizer step, validation (empty where the run has none), and saving.
struct LoopActions {
  std::function<Outcome()> step;
  std::function<void(const CancelToken&)> validate;
  std::function<const StepMetrics&()> metrics;
  std::function<void(const std::filesystem::path&)> save;        // for others: Hugging Face's format
  std::function<void(const std::filesystem::path&)> save_state;  // for going on: the full state
};

// Where the models that a run saves lie.
std::filesystem::path checkpoint_folder(const Config& config);

// Runs what is left of the run. Full states are saved every save_every_steps steps and at each epoch's end, if asked
// for, and then also where the run ends or is stopped. A checkpoint is written where save_samples is crossed, at each
// epoch's end if asked for, and always at the end; also when a callback or the token stops the run. Validation comes
// each validation_frequency steps (0: at each epoch's end) and at the end of the run.
Outcome run_loop(const Config& config, const LoopActions& actions, const EventFn& on_event, const CancelToken& cancel);

}  // namespace ilt
