// A session: a model, an optimizer and data that are trained together. What the C ABI's ilt_session holds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "config/config.h"
#include "data/dataset.h"
#include "observe/metrics.h"

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

struct GenerateOptions {
  std::int64_t max_new_tokens = 128;
  double temperature = 0.0;  // 0: greedy
  double top_p = 1.0;
  std::int64_t top_k = 0;
  std::uint64_t seed = 0;
  std::vector<std::int32_t> stop_ids;  // empty: the model's eos ids
};

class Session {
 public:
  // Loads the model, and the data unless data_path is empty (then score, generate and save still work).
  explicit Session(const Config& config);
  ~Session();

  void set_event_callback(EventFn callback);
  // One optimizer step on the session's data; `done` when the run's steps are used up (nothing is changed then).
  Outcome step();
  // All remaining steps with metrics file, checkpoints and events.
  Outcome run(const CancelToken& cancel);

  // Writes the model in Hugging Face format.
  void save(const std::filesystem::path& path);
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
