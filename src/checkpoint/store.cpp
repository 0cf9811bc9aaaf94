// Folders by number, not by the order of their names.
#include "checkpoint/store.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <string>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/replace_file.h"
#include "checkpoint/manifest.h"

namespace ilt {
namespace {

constexpr std::string_view prefix = "step_";

std::optional<std::int64_t> step_of(const std::string& name) {
  std::int64_t step = 0;
  if (!name.starts_with(prefix)) return {};
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + prefix.size(), end, step);
  if (error != std::errc() || stop != end || step < 0) return {};
  return step;
}

}  // namespace

StateStore::StateStore(fs::path output_folder, std::int64_t keep)
    : folder_(std::move(output_folder) / "full_state"), keep_(keep) {}

std::vector<StoredState> StateStore::list() const {
  std::vector<StoredState> states;
  std::error_code code;
  for (fs::directory_iterator it(folder_, code), end; !code && it != end; it.increment(code)) {
    if (const auto step = step_of(it->path().filename().string())) states.push_back({*step, it->path()});
  }
  if (code && code != std::errc::no_such_file_or_directory) fail_errno("read the folder", folder_, code.value());
  std::sort(states.begin(), states.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
  return states;
}

fs::path StateStore::save(std::int64_t step, const std::function<void(const fs::path&)>& write) const {
  const std::string name = fmt::format("{}{}", prefix, step);
  const fs::path path = folder_ / name;
  write(path);
  replace_file(folder_ / "LATEST", name + "\n");
  prune(step);
  return path;
}

void StateStore::prune(std::int64_t newest_step) const {
  if (keep_ <= 0) return;
  auto states = list();
  std::erase_if(states, [newest_step](const StoredState& state) { return state.step > newest_step; });
  for (std::size_t i = 0; i + static_cast<std::size_t>(keep_) < states.size(); ++i) {
    // Renamed first: a half-removed folder must not look like a state.
    const fs::path doomed = folder_ / fmt::format("removed-{}.tmp-{}", states[i].step, ::getpid());
    std::error_code code;
    fs::rename(states[i].path, doomed, code);
    if (!code) fs::remove_all(doomed, code);
    if (code) log::warn("checkpoint", "cannot remove {}: {}", states[i].path.string(), code.message());
  }
}

std::optional<StoredState> StateStore::newest_valid() const {
  auto states = list();
  std::reverse(states.begin(), states.end());
  for (const StoredState& state : states) {
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
