// The full states of a run under its output folder: naming, LATEST, retention, and which one to go on from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

namespace ilt {

struct StoredState {
  std::int64_t step = 0;
  std::filesystem::path path;
};

// OUT/full_state/step_N, and OUT/full_state/LATEST with the name of the newest complete one.
class StateStore {
 public:
  // keep: how many states stay, 0 for all.
  StateStore(std::filesystem::path output_folder, std::int64_t keep);

  // By step, oldest first; only names that this class gives.
  std::vector<StoredState> list() const;
  // `write` makes the folder appear complete; then LATEST names it, and only then older states go.
  std::filesystem::path save(std::int64_t step, const std::function<void(const std::filesystem::path&)>& write) const;
  // The newest one that verifies; logs which ones were passed over, and why.
  std::optional<StoredState> newest_valid() const;

 private:
  // What lies beyond the newest step is another run's, or broken, and stays.
  void prune(std::int64_t newest_step) const;

  std::filesystem::path folder_;
  std::int64_t keep_;
};

}  // namespace ilt
