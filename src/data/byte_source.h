// The bytes of a data file in order, unpacked where it is gzip or zstd, as JSON Lines where it is Parquet or Arrow
// (told by its first bytes, not by its name).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace ilt {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Fills up to buffer.size() bytes; 0 at the end. Throws io, and data where packed bytes are broken or cut short.
  virtual std::size_t read(std::span<char> buffer) = 0;
  // How much of the file, as it lies on the disk, has been read.
  virtual std::uint64_t position() const = 0;
  // What a line of the bytes is in the file.
  virtual const char* unit() const { return "line"; }
};

// Throws not_found or io; data where the file is of a kind that holds no JSON Lines (zip, UTF-16, Parquet in a build
// without it).
std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& path);

}  // namespace ilt
