// StagedFolder: a folder is filled beside its place, made durable, and renamed into it.
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <system_error>

#include "base/error.h"
#include "base/files.h"
#include "base/staging.h"

namespace ilt {
namespace {

[[noreturn]] void fail_code(std::string_view what, const fs::path& path, const std::error_code& code) {
  throw Error(Status::io, fmt::format("cannot {} '{}': {}", what, path.string(), code.message()),
              {{"file", path.string()}, {"errno", code.value()}});
}

void sync_tree(const fs::path& folder) {
  for (const fs::path& entry : folder_entries(folder)) is_folder(entry) ? sync_tree(entry) : sync_path(entry);
  sync_path(folder);
}

bool is_working_folder_or_above(const fs::path& path) {
  std::error_code code;
  for (fs::path at = fs::current_path(code); !code && !at.empty(); at = at.parent_path()) {
    std::error_code ignored;
    if (fs::equivalent(at, path, ignored)) return true;
    if (at == at.parent_path()) break;
  }
  return false;
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

void require_replaceable(const fs::path& final_path, std::string_view mark) {
  const fs::path path = full_path(final_path);
  if (!file_exists(path)) return;
  if (!is_folder(path))
    throw Error(Status::io, fmt::format("cannot write the folder '{}': a file of that name exists", path.string()),
                {{"file", path.string()}});
  if (is_working_folder_or_above(path))
    throw Error(Status::invalid_argument,
                fmt::format("'{}' is the folder that this process works in, or one above it: it is not replaced; give "
                            "another one",
                            path.string()),
                {{"file", path.string()}});
  if (!mark.empty() && !folder_entries(path).empty() && !file_exists(path / mark))
    throw Error(Status::invalid_argument,
                fmt::format("'{}' is not empty and holds no {}, so it is not replaced: give another folder, or remove "
                            "it first",
                            path.string(), mark),
                {{"file", path.string()}, {"expected", mark}});
}

StagedFolder::StagedFolder(const fs::path& final_path, std::string_view mark)
    : final_(full_path(final_path)), mark_(mark) {
  require_replaceable(final_, mark_);
  staging_ = staging_path(final_);
  std::error_code code;
  fs::create_directories(staging_, code);
  if (code) fail_code("create the folder", staging_, code);
  lock_ = lock_staged(staging_);
}

StagedFolder::~StagedFolder() {
  std::error_code ignored;
  if (!published_) fs::remove_all(staging_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

void StagedFolder::publish() {
  sync_tree(staging_);
  require_replaceable(final_, mark_);
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
    const fs::path old = staging_path(final_);
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
