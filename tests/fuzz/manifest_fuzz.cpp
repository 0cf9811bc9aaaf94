// Fuzzes the manifest of a checkpoint's folder: any bytes give files that are there and as told, or Error(format), and
// nothing else.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.h"
#include "checkpoint/manifest.h"

namespace {

// A folder with one file that a manifest may name; removed at the end.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::filesystem::create_directories(path_);
    std::ofstream(path_ / "state.json") << "{}\n";
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& with_manifest(const std::uint8_t* data, std::size_t size) const {
    std::ofstream(path_ / ilt::manifest_file, std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    return path_;
  }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("ilt-fuzz-" + std::to_string(getpid()) + ".state");
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ScratchFolder folder;
  try {
    ilt::verify_folder(folder.with_manifest(data, size));
  } catch (const ilt::Error& e) {
    if (e.status() != ilt::Status::format) std::abort();
  }
  return 0;
}
