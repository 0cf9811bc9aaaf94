// A session: a model, an optimizer and data that are trained together. What the C ABI's ilt_session holds.
#pragma once

#include <cstdint>
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
#include "train/generate.h"
#include "train/loop.h"

namespace ilt {

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
  // All remaining steps with metrics file, checkpoints and events.
  Outcome run(const CancelToken& cancel);
  // A run saves a model and its full state after the step that it is in. Any thread, or a signal handler.
  void request_save() noexcept;

  // Writes the model in Hugging Face format.
  void save(const std::filesystem::path& path);
  // Writes all that a later session needs to go on from here (the option `resume`).
  void save_state(const std::filesystem::path& path);
  // log p(ids[i+1] | ids[0..i]) for i = 0..n-2.
  std::vector<float> score(std::span<const std::int32_t> ids);
  // `on_token` returns false to stop.
  std::vector<std::int32_t> generate(std::span<const std::int32_t> prompt, const GenerateOptions& options,
                                     const std::function<bool(std::int32_t)>& on_token, const CancelToken& cancel);

  // Of the last step; safe from any thread.
  StepMetrics metrics() const;
  const Config& config() const noexcept;
  // Architecture, parameter count, layers, vocabulary, memory.
  Json model_info() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ilt
