// Names, locks and syncs of what is staged.
#include "base/staging.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <string>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"

namespace ilt {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "host";
  return name.data();
}

// The process that a staging name tells of; 0 for other names, and for other hosts.
pid_t owner_of(const std::string& name) {
  const std::string mark = ".tmp-" + host_name() + "-";
  const auto at = name.rfind(mark);
  if (at == std::string::npos || at == 0) return 0;
  const std::string numbers = name.substr(at + mark.size());
  if (numbers.find_first_not_of("0123456789-") != std::string::npos) return 0;
  return static_cast<pid_t>(std::strtol(numbers.c_str(), nullptr, 10));
}

bool has_died(pid_t process) {
  return ::kill(process, 0) != 0 && errno == ESRCH;
}

void remove_abandoned(const fs::path& path) {
  std::error_code code;
  if (!fs::is_directory(fs::symlink_status(path, code))) {
    fs::remove(path, code);
    return;
  }
  const int lock = lock_staged(path);
  if (lock < 0) return;  // its process lives, under another number
  fs::remove_all(path, code);
  ::close(lock);
}

}  // namespace

fs::path staging_path(const fs::path& final_path) {
  static std::atomic<unsigned> counter{0};
  return final_path.parent_path() /
         fmt::format("{}.tmp-{}-{}-{}", final_path.filename().string(), host_name(), ::getpid(), counter.fetch_add(1));
}

int lock_staged(const fs::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 || ::flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
  ::close(fd);
  return -1;
}

void sync_path(const fs::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail_errno("open", path, errno);
  const int code = ::fsync(fd) == 0 ? 0 : errno;
  ::close(fd);
  // Some file systems cannot sync a folder and say so with EINVAL.
  if (code != 0 && code != EINVAL) fail_errno("write", path, code);
}

void remove_folder(const fs::path& folder) {
  const fs::path doomed = staging_path(folder);
  std::error_code code;
  fs::rename(folder, doomed, code);
  if (code) fail_errno("remove", folder, code.value());
  const int lock = lock_staged(doomed);
  fs::remove_all(doomed, code);
  if (lock >= 0) ::close(lock);
  if (code) fail_errno("remove", doomed, code.value());
}

void remove_abandoned_staging(const fs::path& folder) {
  std::error_code ignored;
  for (fs::directory_iterator it(folder, ignored), end; !ignored && it != end; it.increment(ignored)) {
    const fs::path path = it->path();
    const pid_t owner = owner_of(path.filename().string());
    // Of this process itself: what another session is filling, which is locked, or what one has left.
    if (owner == 0 || (owner != ::getpid() && !has_died(owner))) continue;
    if (owner == ::getpid() && !fs::is_directory(path, ignored)) continue;
    log::info("base", "removing {}, left behind by a process that has died", path.string());
    remove_abandoned(path);
  }
}

}  // namespace ilt
