// Expands folders to their JSON Lines files.
#include "data/inputs.h"

#include "base/error.h"
#include "base/files.h"

namespace ilt {
namespace {

bool is_json_lines(const std::string& name) {
  return name.ends_with(".jsonl") || name.ends_with(".jsonl.gz") || name.ends_with(".jsonl.zst");
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files = folder_entries(folder);
  std::erase_if(files,
                [](const fs::path& file) { return !is_json_lines(file.filename().string()) || is_folder(file); });
  return files;
}

}  // namespace

std::vector<fs::path> input_files(std::span<const std::string> paths) {
  if (paths.empty()) fail(Status::invalid_argument, "no data file was given");
  std::vector<fs::path> files;
  for (const std::string& path : paths) {
    if (!file_exists(path)) {
      throw Error(Status::not_found, fmt::format("{} does not exist", path), {{"file", path}});
    }
    if (!is_folder(path)) {
      files.emplace_back(path);
      continue;
    }
    const auto found = files_in(path);
    if (found.empty()) {
      throw Error(Status::data,
                  fmt::format("the folder {} holds no *.jsonl file (nor *.jsonl.gz or *.jsonl.zst)", path),
                  {{"file", path}});
    }
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

}  // namespace ilt
