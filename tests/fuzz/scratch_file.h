// A file for fuzzers of readers that take files only: one for all inputs, removed at the end.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace ilt::fuzz {

class ScratchFile {
 public:
  explicit ScratchFile(const char* suffix)
      : path_(std::filesystem::temp_directory_path() / ("ilt-fuzz-" + std::to_string(getpid()) + suffix)) {}
  ~ScratchFile() { std::filesystem::remove(path_); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const std::filesystem::path& write(const std::uint8_t* data, std::size_t size) const {
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    return path_;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace ilt::fuzz
