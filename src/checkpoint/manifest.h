// The manifest of a checkpoint folder: what files belong to it, with sizes and checksums.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "base/json.h"

namespace ilt {

struct ManifestFile {
  std::uint64_t bytes = 0;
  std::string checksum;  // 128-bit XXH3
};

struct Manifest {
  Json info = Json::object();  // kind, version, step, ... : what can be told without reading the files
  std::map<std::string, ManifestFile> files;
};

inline constexpr const char* manifest_file = "manifest.json";

void write_manifest(const std::filesystem::path& folder, const Manifest& manifest);
// Throws not_found or format, naming the folder and what is wrong.
Manifest read_manifest(const std::filesystem::path& folder);
// Reads every file and compares sizes and checksums. Throws format naming the first file that differs.
Manifest verify_folder(const std::filesystem::path& folder);

}  // namespace ilt
