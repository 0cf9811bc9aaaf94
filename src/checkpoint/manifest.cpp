// Manifests as JSON, and the files held against them.
#include "checkpoint/manifest.h"

#include <span>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"

namespace ilt {
namespace {

[[noreturn]] void broken(const fs::path& path, const std::string& why) {
  throw Error(Status::format, fmt::format("{}: {}", path.string(), why), {{"file", path.string()}});
}

bool is_file_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && fs::path(name).filename() == name;
}

// By reading, not by mapping: a disk that cannot be read is then an error and no signal.
std::string hash_file(const fs::path& path) {
  InputFile file(path);
  Hasher hasher;
  std::vector<char> buffer(1 << 20);
  while (const std::size_t count = file.read(buffer)) hasher.add(std::as_bytes(std::span(buffer).first(count)));
  return hasher.hex();
}

// What is missing is the checkpoint's fault; a disk that cannot be read is not.
void verify_file(const fs::path& path, const ManifestFile& expected) {
  if (!file_exists(path)) broken(path, "it is missing");
  const std::uint64_t bytes = InputFile(path).size();
  if (bytes != expected.bytes) broken(path, fmt::format("it has {} bytes, expected {}", bytes, expected.bytes));
  if (hash_file(path) != expected.checksum) {
    broken(path, "its bytes are not those that were written (their checksum differs)");
  }
}

}  // namespace

void write_manifest(const fs::path& folder, const Manifest& manifest) {
  Json files = Json::object();
  for (const auto& [name, file] : manifest.files) files[name] = {{"bytes", file.bytes}, {"xxh3", file.checksum}};
  Json json = manifest.info;
  json["files"] = std::move(files);
  write_file(folder / manifest_file, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

Manifest read_manifest(const fs::path& folder) {
  const fs::path path = folder / manifest_file;
  if (!file_exists(folder) || !is_folder(folder)) {
    throw Error(Status::not_found, fmt::format("{} is no folder of a checkpoint", folder.string()),
                {{"file", folder.string()}});
  }
  if (!file_exists(path)) broken(folder, fmt::format("it has no {}, so it is no complete checkpoint", manifest_file));
  Manifest manifest;
  try {
    manifest.info = parse_json(read_file(path), path.string());
    for (const auto& [name, file] : manifest.info.at("files").items()) {
      if (!is_file_name(name)) broken(path, fmt::format("\"{}\" is no file's name", name));
      manifest.files[name] = {file.at("bytes").get<std::uint64_t>(), file.at("xxh3").get<std::string>()};
    }
  } catch (const Json::exception& error) {
    broken(path, fmt::format("it is no manifest: {}", error.what()));
  }
  manifest.info.erase("files");
  return manifest;
}

Manifest verify_folder(const fs::path& folder) {
  Manifest manifest = read_manifest(folder);
  for (const auto& [name, file] : manifest.files) verify_file(folder / name, file);
  return manifest;
}

}  // namespace ilt
