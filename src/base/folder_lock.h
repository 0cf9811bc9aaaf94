// A folder that one user at a time writes to.
#pragma once

#include <filesystem>

namespace ilt {

// Held until destroyed, or until its process dies; by a file in the folder, which is made if it is not there. On file
// systems that know no locks it holds nothing.
class FolderLock {
 public:
  // Throws invalid_state, naming the folder, where another one holds it, in this process or elsewhere; io.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int fd_ = -1;
};

}  // namespace ilt
