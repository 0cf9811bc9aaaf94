// Replacing by rename.
#include "base/replace_file.h"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "base/error.h"
#include "base/files.h"
#include "base/staging.h"

namespace ilt {

void replace_file(const fs::path& path, std::string_view bytes) {
  const fs::path staged = staging_path(path);
  try {
    write_file(staged, bytes);
    if (std::rename(staged.c_str(), path.c_str()) != 0) fail_errno("replace", path, errno);
    sync_path(path.parent_path().empty() ? "." : path.parent_path());
  } catch (...) {
    std::error_code ignored;
    fs::remove(staged, ignored);
    throw;
  }
}

}  // namespace ilt
