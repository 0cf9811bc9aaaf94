// A file that grows at its end and knows its fingerprint; work after a kill can go on at a size that was synced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/hash.h"

namespace ilt {

class AppendFile {
 public:
  // Keeps the first `size` bytes of the file and cuts the rest off; size 0 begins anew. The first `reserved` bytes are
  // left for the caller to fill in by overwrite(), and are no part of the fingerprint. Throws io.
  AppendFile(const std::filesystem::path& path, std::uint64_t size, std::uint64_t reserved = 0);
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  void append(std::span<const std::byte> bytes);
  void overwrite(std::uint64_t offset, std::span<const std::byte> bytes);
  // Returns when all bytes are on the disk.
  void sync();

  std::uint64_t size() const noexcept { return size_; }
  const std::filesystem::path& path() const noexcept { return path_; }
  std::string fingerprint() const { return hasher_.hex(); }

 private:
  void flush();
  void hash_existing(std::uint64_t reserved);

  std::filesystem::path path_;
  int fd_ = -1;
  std::uint64_t size_ = 0;
  std::vector<std::byte> buffer_;
  Hasher hasher_;
};

}  // namespace ilt
