// The files of a folder.
#include "base/file_set.h"

namespace ilt {

std::vector<std::string> FolderFiles::names() const {
  std::vector<std::string> names;
  std::error_code code;
  for (const fs::path& entry : folder_entries(folder_))
    if (!fs::is_directory(entry, code)) names.push_back(entry.filename().string());
  return names;
}

bool FolderFiles::is_plain(const std::string& name) const {
  std::error_code code;
  return fs::is_regular_file(folder_ / name, code);
}

}  // namespace ilt
