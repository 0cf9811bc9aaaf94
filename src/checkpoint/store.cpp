// Folders by number, not by the order of their names.
#include "checkpoint/store.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/replace_file.h"
#include "base/staging.h"
#include "checkpoint/manifest.h"

namespace ilt {
namespace {

constexpr const char* latest_file = "LATEST";
constexpr const char* best_file = "BEST";

}  // namespace

CheckpointStore::CheckpointStore(fs::path folder, std::string prefix, bool names_latest, Retention retention)
    : folder_(std::move(folder)), prefix_(std::move(prefix)), names_latest_(names_latest), retention_(retention) {}

CheckpointStore CheckpointStore::of_states(const fs::path& output_folder, Retention retention) {
  return {output_folder / "full_state", "step_", true, retention};
}

CheckpointStore CheckpointStore::of_models(const fs::path& output_folder, Retention retention) {
  return {output_folder / "hf_format", "samples_", false, retention};
}

std::string CheckpointStore::name_of(std::int64_t number) const {
  return fmt::format("{}{}", prefix_, number);
}

std::optional<std::int64_t> CheckpointStore::number_of(std::string_view name) const {
  if (!name.starts_with(prefix_)) return {};
  std::int64_t number = 0;
  std::from_chars(name.data() + prefix_.size(), name.data() + name.size(), number);
  if (number < 0 || name_of(number) != name) return {};  // step_010 is somebody's copy
  return number;
}

std::vector<StoredCheckpoint> CheckpointStore::list() const {
  std::vector<StoredCheckpoint> found;
  std::error_code code;
  for (fs::directory_iterator it(folder_, code), end; !code && it != end; it.increment(code)) {
    const auto number = number_of(it->path().filename().string());
    if (number && is_folder(it->path())) found.push_back({*number, it->path()});
  }
  if (code && code != std::errc::no_such_file_or_directory) fail_errno("read the folder", folder_, code.value());
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  return found;
}

void CheckpointStore::spare_what_is_there() {
  for (const StoredCheckpoint& c : list()) spared_.insert(c.number);
}

fs::path CheckpointStore::save(std::int64_t number, bool best, const std::function<void(const fs::path&)>& write) {
  const fs::path path = folder_ / name_of(number);
  write(path);
  spared_.erase(number);
  set_latest(number);
  if (best) replace_file(folder_ / best_file, name_of(number) + "\n");
  prune(number);
  return path;
}

void CheckpointStore::set_latest(std::int64_t number) const {
  if (!names_latest_ || !file_exists(folder_ / name_of(number)) || named_by(latest_file) == number) return;
  replace_file(folder_ / latest_file, name_of(number) + "\n");
}

void CheckpointStore::set_best(std::optional<std::int64_t> number) const {
  const bool there = number && file_exists(folder_ / name_of(*number));
  if (there && named_by(best_file) == number) return;
  if (there) {
    replace_file(folder_ / best_file, name_of(*number) + "\n");
    prune(*number);
    return;
  }
  std::error_code code;
  if (fs::remove(folder_ / best_file, code)) log::info("checkpoint", "{} named one of another run", best_file);
}

std::optional<std::int64_t> CheckpointStore::named_by(const char* file) const {
  if (!file_exists(folder_ / file)) return {};
  const std::string line = read_file(folder_ / file);
  return number_of(std::string_view(line).substr(0, line.find('\n')));
}

void CheckpointStore::prune(std::int64_t newest) const try {
  if (retention_.last <= 0) return;
  auto found = list();
  std::erase_if(found, [&](const StoredCheckpoint& c) { return c.number > newest || spared_.contains(c.number); });
  const auto old = std::max<std::int64_t>(0, std::ssize(found) - retention_.last);
  found.resize(static_cast<std::size_t>(old));
  const auto best_number = named_by(best_file);
  for (const StoredCheckpoint& c : found) {
    const bool stays = (retention_.every > 0 && c.number % retention_.every == 0) || c.number == best_number;
    if (!stays) remove_folder(c.path);
  }
} catch (const Error& error) {
  log::warn("checkpoint", "an older checkpoint stays: {}", error.what());  // no reason to end a run
}

std::optional<StoredCheckpoint> newest_valid_state(const CheckpointStore& states) {
  auto found = states.list();
  std::reverse(found.begin(), found.end());
  for (const StoredCheckpoint& state : found) {
    try {
      verify_folder(state.path);
      return state;
    } catch (const Error& error) {
      // A disk that cannot be read now is no reason to lose the run.
      if (error.status() == Status::io) throw;
      log::warn("checkpoint", "{} is passed over: {}", state.path.filename().string(), error.what());
    }
  }
  return {};
}

}  // namespace ilt
