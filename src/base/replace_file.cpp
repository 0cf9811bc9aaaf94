// Replacing by rename.
#include "base/replace_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "base/error.h"
#include "base/files.h"

namespace ilt {

void replace_file(const fs::path& path, std::string_view bytes) {
  const fs::path staged = path.parent_path() / fmt::format("{}.tmp-{}", path.filename().string(), ::getpid());
  try {
    write_file(staged, bytes);
    if (std::rename(staged.c_str(), path.c_str()) != 0) fail_errno("replace", path, errno);
  } catch (...) {
    std::error_code ignored;
    fs::remove(staged, ignored);
    throw;
  }
}

}  // namespace ilt
