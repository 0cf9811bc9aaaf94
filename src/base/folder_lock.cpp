// FolderLock by flock(2).
#include "base/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"
#include "base/files.h"

namespace ilt {

FolderLock::FolderLock(const fs::path& folder) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) fail_errno("create the folder", folder, code.value());
  const fs::path path = folder / ".lock";
  fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd_ < 0) fail_errno("open", path, errno);
  if (::flock(fd_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  ::close(fd_);
  throw Error(Status::invalid_state,
              fmt::format("another run is writing to {}: wait for its end, or give another folder", folder.string()),
              {{"file", folder.string()}});
}

FolderLock::~FolderLock() {
  ::close(fd_);
}

}  // namespace ilt
