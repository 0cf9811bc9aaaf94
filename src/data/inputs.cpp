// Expands folders to their data files.
#include "data/inputs.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/error.h"
#include "base/files.h"

namespace ilt {
namespace {

bool is_data(const std::string& name) {
  constexpr std::array<std::string_view, 5> endings = {".jsonl", ".jsonl.gz", ".jsonl.zst", ".parquet", ".arrow"};
  return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files = folder_entries(folder);
  std::erase_if(files, [](const fs::path& file) { return !is_data(file.filename().string()) || is_folder(file); });
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
      throw Error(
          Status::data,
          fmt::format("the folder {} holds no *.jsonl file (nor *.jsonl.gz, *.jsonl.zst, *.parquet or *.arrow)", path),
          {{"file", path}});
    }
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

}  // namespace ilt
