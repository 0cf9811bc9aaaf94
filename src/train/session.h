// A session: a model, an optimizer and data that are trained together. What the C ABI's ilt_session holds.
#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "config/config.h"
#include "data/dataset.h"
#include "observe/metrics.h"
#include "train/evaluate.h"
#include "train/generate.h"
#include "train/host_batch.h"
#include "train/loop.h"
#include "train/parameters.h"

namespace ilt {

// Session::set_learning_rate(): that of the schedule again.
inline constexpr double lr_of_schedule = -1.0;

// Of a host's batch: weighted sums over its targets.
struct BatchLoss {
  double loss = 0;
  double weight = 0;
};

class Session {
 public:
  // Loads the model, and the data unless data_path is empty (then score, generate and save still work).
  explicit Session(const Config& config);
  ~Session();

  // For a session that was made without data; `validation` may be null.
  void set_data(std::shared_ptr<const Dataset> training, std::shared_ptr<const Dataset> validation);
  void set_event_callback(EventFn callback);
  // One optimizer step on the session's data; `done` when the run's steps are used up (nothing is changed then).
  Outcome step();
  // All remaining steps (of the epoch) with metrics file, checkpoints and events; of an epoch, `done` where there was
  // no step left to take.
  Outcome run(const CancelToken& cancel);
  Outcome run_epoch(const CancelToken& cancel);
  // A run saves a model and its full state after the step that it is in. Any thread, or a signal handler.
  void request_save() noexcept;
  // The rate of all steps that begin from now on, in place of the schedule's. Any thread. Throws invalid_argument.
  void set_learning_rate(double lr);

  // A host's own loop. Adds the gradients of the batch's weighted sum of losses; all gradients are lost where it
  // throws.
  BatchLoss forward_backward(const HostBatch& batch);
  // One update by the gradients so far, which are divided by `divisor` (0: the weight of their targets) and then
  // cleared. Counts as a step of the run; `done` as step().
  Outcome optimizer_step(double divisor);
  void zero_gradients() noexcept;

  // Writes the model in Hugging Face format.
  void save(const std::filesystem::path& path);
  // Writes all that a later session needs to go on from here (the option `resume`).
  void save_state(const std::filesystem::path& path);
  // Goes on from a full state, after the same checks as the option `resume`. Unchanged where it throws an Error.
  void load_state(const std::filesystem::path& path);
  // The loss on other data, null for the session's validation data, as a validation of a run has it. Throws Stopped.
  Evaluation evaluate(std::shared_ptr<const Dataset> data, const CancelToken& cancel);
  // log p(ids[i+1] | ids[0..i]) for i = 0..n-2.
  std::vector<float> score(std::span<const std::int32_t> ids);
  // `on_token` returns false to stop.
  std::vector<std::int32_t> generate(std::span<const std::int32_t> prompt, const GenerateOptions& options,
                                     const std::function<bool(std::int32_t)>& on_token, const CancelToken& cancel);

  // The model's tensors by name.
  const NamedParameters& parameters() const noexcept;
  // Of the last step; safe from any thread.
  StepMetrics metrics() const;
  const Config& config() const noexcept;
  // Architecture, parameter count, layers, vocabulary, memory.
  Json model_info() const;

  // Why the session is of no more use: an update that was broken off in the middle, or a device that has failed (which
  // the caller tells). Null while there is no reason; lost() from any thread.
  void lose(std::exception_ptr cause) noexcept;
  bool lost() const noexcept;
  std::exception_ptr cause_of_loss() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ilt
