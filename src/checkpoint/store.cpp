// Folders by number, not by the order of their names.
#include "checkpoint/store.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/replace_file.h"
#include "checkpoint/manifest.h"

namespace ilt {
namespace {

constexpr const char* latest_file = "LATEST";
constexpr const char* best_file = "BEST";

void remove_checkpoint(const fs::path& checkpoint) {
  // Renamed first: a half-removed folder must not look like a checkpoint.
  const fs::path doomed =
      checkpoint.parent_path() / fmt::format("removed-{}.tmp-{}", checkpoint.filename().string(), ::getpid());
  std::error_code code;
  fs::rename(checkpoint, doomed, code);
  if (!code) fs::remove_all(doomed, code);
  if (code) log::warn("checkpoint", "cannot remove {}: {}", checkpoint.string(), code.message());
}

}  // namespace

CheckpointStore::CheckpointStore(fs::path folder, std::string prefix, bool names_latest, Retention retention)
    : folder_(std::move(folder)), prefix_(std::move(prefix)), names_latest_(names_latest), retention_(retention) {}

CheckpointStore CheckpointStore::of_states(const fs::path& output_folder, Retention retention) {
  return {output_folder / "full_state", "step_", true, retention};
}

CheckpointStore CheckpointStore::of_models(const fs::path& output_folder, Retention retention) {
  return {output_folder / "hf_format", "samples_", false, retention};
}

std::optional<std::int64_t> CheckpointStore::number_of(std::string_view name) const {
  if (!name.starts_with(prefix_)) return {};
  std::int64_t number = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + prefix_.size(), end, number);
  if (error != std::errc() || stop != end || number < 0) return {};
  return number;
}

std::vector<StoredCheckpoint> CheckpointStore::list() const {
  std::vector<StoredCheckpoint> found;
  std::error_code code;
  for (fs::directory_iterator it(folder_, code), end; !code && it != end; it.increment(code)) {
    if (const auto number = number_of(it->path().filename().string())) found.push_back({*number, it->path()});
  }
  if (code && code != std::errc::no_such_file_or_directory) fail_errno("read the folder", folder_, code.value());
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  return found;
}

fs::path CheckpointStore::save(std::int64_t number, bool best,
                               const std::function<void(const fs::path&)>& write) const {
  const std::string name = fmt::format("{}{}", prefix_, number);
  write(folder_ / name);
  if (names_latest_) replace_file(folder_ / latest_file, name + "\n");
  if (best) mark_best(number);
  prune(number);
  return folder_ / name;
}

void CheckpointStore::mark_best(std::int64_t number) const {
  replace_file(folder_ / best_file, fmt::format("{}{}\n", prefix_, number));
}

std::optional<std::int64_t> CheckpointStore::best() const {
  if (!file_exists(folder_ / best_file)) return {};
  const std::string line = read_file(folder_ / best_file);
  return number_of(std::string_view(line).substr(0, line.find('\n')));
}

void CheckpointStore::prune(std::int64_t newest) const {
  if (retention_.last <= 0) return;
  auto found = list();
  std::erase_if(found, [newest](const StoredCheckpoint& c) { return c.number > newest; });
  const auto old = std::max<std::int64_t>(0, std::ssize(found) - retention_.last);
  found.resize(static_cast<std::size_t>(old));
  const auto best_number = best();
  for (const StoredCheckpoint& c : found) {
    const bool stays = (retention_.every > 0 && c.number % retention_.every == 0) || c.number == best_number;
    if (!stays) remove_checkpoint(c.path);
  }
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
