// The data files that a list of paths means.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace ilt {

// Files as given; a folder stands for its *.jsonl, *.jsonl.gz, *.jsonl.zst, *.parquet and *.arrow files by name. Throws
// not_found, and data for a folder without any.
std::vector<std::filesystem::path> input_files(std::span<const std::string> paths);

}  // namespace ilt
