// What a session holds. For the session's own files.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include "train/batches.h"
#include "train/checkpoints.h"
#include "train/parameters.h"
#include "train/resume.h"
#include "train/session.h"
#include "train/setup.h"
#include "train/soundness.h"
#include "train/step.h"
#include "weights/export.h"

namespace ilt {

struct Session::Impl {
  explicit Impl(const Config& c);

  Config config;
  LoadedModel model;
  NamedParameters parameters;
  DataFingerprints fingerprints;
  std::unique_ptr<TrainingState> training;  // null until there are data, or gradients of a host
  EventFn on_event;
  mutable std::mutex progress_mutex;  // for other threads, which read while this one trains
  Progress progress;
  std::atomic<double> host_lr{lr_of_schedule};  // what the host has set
  StepSums pending;                             // of a host's micro-batches since the last step
  SaveRequest save_request;
  Soundness soundness;
  bool run_has_ended = false;  // and nothing has been trained since
  std::string tokenizer;       // the fingerprint of the model's, once something has asked for it

  // session.cpp
  void begin_training(RunData data, const std::optional<std::filesystem::path>& state);
  void load_tensors(const std::filesystem::path& state, const Json& run, TrainingState& into) const;
  void begin_from(Progress begun, const std::optional<std::filesystem::path>& state);
  void load_state(const std::filesystem::path& path);
  Outcome run(RunUntil until, const CancelToken& cancel);
  void validate(const CancelToken& cancel);
  Snapshot snapshot(SnapshotOf what) const;
  std::vector<ExportTensor> exports() const;
  void check_output() const;
  Corpus as_corpus(std::shared_ptr<const Dataset> dataset);
  Corpus validation_data() const;
  void require_ids(std::span<const std::int32_t> ids) const;

  // session_step.cpp
  Outcome step();
  bool has_ended(std::int64_t step) const;
  bool has_gradients() const noexcept { return pending.micro_batches > 0; }
  void require_data() const;
  double rate_of(std::int64_t step) const;
  Regularisation regularisation() const;
  StepOptions step_options(std::int64_t step) const;
  void update(const StepOptions& options, const StepSums& sums, double divisor, double seconds_data, double seconds);
};

}  // namespace ilt
