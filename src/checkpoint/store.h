// The checkpoints of a run under its output folder: naming, LATEST and BEST, retention, and which state to go on from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ilt {

struct StoredCheckpoint {
  std::int64_t number = 0;  // a state's step, a model's samples
  std::filesystem::path path;
};

// Which ones stay when a newer one is complete: the last so many (0: all), those whose number is a multiple of `every`
// (0: none), and the one that BEST names.
struct Retention {
  std::int64_t last = 0;
  std::int64_t every = 0;
};

// FOLDER/PREFIX_N, with files beside them that name the newest complete one and the best one.
class CheckpointStore {
 public:
  // OUT/full_state/step_N, with LATEST.
  static CheckpointStore of_states(const std::filesystem::path& output_folder, Retention retention = {});
  // OUT/hf_format/samples_N.
  static CheckpointStore of_models(const std::filesystem::path& output_folder, Retention retention = {});

  const std::filesystem::path& folder() const noexcept { return folder_; }
  // By number, lowest first; only names that this class gives.
  std::vector<StoredCheckpoint> list() const;
  // What is there now is another run's: it stays, whatever the retention, until it is written again.
  void spare_what_is_there();
  // `write` makes the folder appear complete; then LATEST and, for the best one, BEST name it; only then older ones go.
  std::filesystem::path save(std::int64_t number, bool best,
                             const std::function<void(const std::filesystem::path&)>& write);
  // Makes BEST name one that is there already; what it named before is then kept no longer than others. Without a
  // number, or where that one is not there, there is no BEST.
  void set_best(std::optional<std::int64_t> number) const;
  // Removes what need not stay beside the newest one. What lies beyond its number is another run's, or broken, and
  // stays.
  void prune(std::int64_t newest) const;
  // Makes LATEST name one, if it is there and LATEST names another.
  void set_latest(std::int64_t number) const;

 private:
  CheckpointStore(std::filesystem::path folder, std::string prefix, bool names_latest, Retention retention);
  std::string name_of(std::int64_t number) const;
  std::optional<std::int64_t> number_of(std::string_view name) const;
  // The one that LATEST or BEST names.
  std::optional<std::int64_t> named_by(const char* file) const;
  std::filesystem::path folder_;
  std::string prefix_;
  bool names_latest_;
  Retention retention_;
  std::set<std::int64_t> spared_;
};

// The newest full state that verifies; logs which ones were passed over, and why.
std::optional<StoredCheckpoint> newest_valid_state(const CheckpointStore& states);

}  // namespace ilt
