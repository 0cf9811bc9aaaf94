// StagedFolder: a folder is filled beside its place, made durable, and renamed into it.
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>

#include "base/error.h"
#include "base/files.h"

namespace ilt {
namespace {

[[noreturn]] void fail_code(std::string_view what, const fs::path& path, const std::error_code& code) {
  throw Error(Status::io, fmt::format("cannot {} '{}': {}", what, path.string(), code.message()),
              {{"file", path.string()}, {"errno", code.value()}});
}

void sync_path(const fs::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail_code("open", path, {errno, std::generic_category()});
  const int code = ::fsync(fd) == 0 ? 0 : errno;
  ::close(fd);
  // Some file systems cannot sync a folder and say so with EINVAL.
  if (code != 0 && code != EINVAL) fail_code("write", path, {code, std::generic_category()});
}

void sync_tree(const fs::path& folder) {
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() || entry.is_directory()) sync_path(entry.path());
  sync_path(folder);
}

fs::path beside(const fs::path& path, std::string_view word) {
  static std::atomic<unsigned> counter{0};
  return path.parent_path() /
         fmt::format("{}.{}-{}-{}", path.filename().string(), word, ::getpid(), counter.fetch_add(1));
}

// Swaps two folders in one step, so that no moment is without the final one. False where that is unknown.
bool exchange(const fs::path& a, const fs::path& b) {
#ifdef RENAME_EXCHANGE
  return ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0;
#else
  static_cast<void>(a), static_cast<void>(b);
  return false;
#endif
}

}  // namespace

StagedFolder::StagedFolder(fs::path final_path) : final_(fs::absolute(final_path).lexically_normal()) {
  if (!final_.has_filename()) final_ = final_.parent_path();  // "out/"
  std::error_code code;
  if (fs::exists(final_, code) && !fs::is_directory(final_, code))
    throw Error(Status::io, fmt::format("cannot write the folder '{}': a file of that name exists", final_.string()),
                {{"file", final_.string()}});
  staging_ = beside(final_, "tmp");
  fs::create_directories(staging_, code);
  if (code) fail_code("create the folder", staging_, code);
}

StagedFolder::~StagedFolder() {
  std::error_code ignored;
  if (!published_) fs::remove_all(staging_, ignored);
}

void StagedFolder::publish() {
  sync_tree(staging_);
  std::error_code code;
  if (!fs::exists(final_, code)) {
    fs::rename(staging_, final_, code);
    if (code) fail_code("move the finished folder to", final_, code);
    published_ = true;
  } else if (exchange(staging_, final_)) {
    sync_path(final_.parent_path());
    published_ = true;
    fs::remove_all(staging_, code);
  } else {
    const fs::path old = beside(final_, "old");
    fs::rename(final_, old, code);
    if (code) fail_code("replace", final_, code);
    fs::rename(staging_, final_, code);
    if (code) {
      std::error_code ignored;
      fs::rename(old, final_, ignored);
      fail_code("move the finished folder to", final_, code);
    }
    published_ = true;
    sync_path(final_.parent_path());
    fs::remove_all(old, code);
  }
  sync_path(final_.parent_path());
}

}  // namespace ilt
