// What a run saves, and when: models for others and full states to go on from, at once or in the background.
#pragma once

#include <atomic>
#include <exception>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "checkpoint/background_writer.h"
#include "checkpoint/store.h"
#include "config/config.h"
#include "train/progress.h"
#include "train/snapshot.h"

namespace ilt {

// A snapshot of the run as it stands; of the whole state, or of the weights alone.
using SnapshotFn = std::function<Snapshot(SnapshotOf)>;

// A wish for a save, from any thread or a signal handler.
class SaveRequest {
 public:
  void make() noexcept { wanted_.store(true, std::memory_order_relaxed); }
  bool take() noexcept { return wanted_.exchange(false, std::memory_order_relaxed); }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free);
  std::atomic<bool> wanted_{false};
};

// Where the models that a run saves lie.
std::filesystem::path models_folder(const Config& config);

// What has come due at the end of a step.
struct Due {
  bool model = false;
  bool state = false;
  bool best = false;   // it is the best so far by validation
  bool asked = false;  // somebody waits for it

  bool any() const noexcept { return model || state; }
  // Saves that come back by themselves may be left out for once.
  bool may_be_left_out() const noexcept { return !best && !asked; }
};

class Checkpoints {
 public:
  // Told the path of each model and state once it has appeared, on the thread of the run.
  using SavedFn = std::function<void(const std::string& path)>;

  // `begun` is how far the run had come. What a folder holds where it begins anew is another run's, and stays.
  Checkpoints(const Config& config, SnapshotFn snapshot, SavedFn on_saved, const Progress& begun);

  // Both where somebody asked for it, and after a validation that was the best so far; models where save_samples is
  // crossed and by epoch; states by steps, minutes and epoch.
  Due due(const StepMetrics& before, const StepMetrics& now, bool epoch_ends, bool best, bool asked) const;
  // Saves what is due and is not saved already. Errors of a save are thrown or logged, as on_save_error says; those of
  // a background save by the next call.
  void save(const Due& due, const StepMetrics& now);
  // Tells of background saves that have ended.
  void poll();
  // Waits for a background save; throws what became of it, as save() does.
  void finish();
  // At the end of the run: a model, and a state where the run saves any and has gone on, or where one is asked for;
  // waits until they are there. Throws whatever on_save_error says, once all has been tried.
  void save_last(const StepMetrics& now, bool best, bool asked);
  // Where the run fails: waits for a background save and logs what became of it.
  void abandon() noexcept;

 private:
  struct Work;
  // What has been written and not told of yet; steps of 0: nothing.
  struct Written {
    std::filesystem::path model, state;
    std::int64_t model_step = 0, state_step = 0;
  };

  bool saves_states() const;
  Work take(const Due& due, const StepMetrics& now);
  void write(const Work& work);
  void save_now(const Due& due, const StepMetrics& now);
  // Tells of what has been written, and gives on the failure, if there was one, as on_save_error says.
  void conclude(std::exception_ptr failed);

  const Config& config_;
  SnapshotFn snapshot_;
  SavedFn on_saved_;
  CheckpointStore states_;
  CheckpointStore models_;
  std::int64_t begun_at_;
  std::int64_t saved_model_ = 0, saved_state_;  // the steps of the last ones; the state that the run began from
  Stopwatch since_state_;
  Written written_;          // the background task's while it runs
  BackgroundWriter writer_;  // last: its task uses what stands above
};

}  // namespace ilt
