// The safetensors format: memory-mapped reading of untrusted files, streaming writing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/hash.h"
#include "base/streamed_file.h"
#include "weights/dtype.h"

namespace ilt {

struct TensorInfo {
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;

  std::int64_t numel() const;
  std::uint64_t num_bytes() const;
};

// A tensor that lives in a mapped file: valid while its SafetensorsFile is.
struct TensorView {
  TensorInfo info;
  std::span<const std::byte> bytes;
};

class SafetensorsFile {
 public:
  // Checks the whole header: size, JSON, dtypes, shapes, offsets in order without holes or overlap, end of file.
  explicit SafetensorsFile(const std::filesystem::path& path);

  const std::map<std::string, TensorView>& tensors() const noexcept { return tensors_; }
  const std::map<std::string, std::string>& metadata() const noexcept { return metadata_; }

 private:
  MappedFile file_;
  std::map<std::string, TensorView> tensors_;
  std::map<std::string, std::string> metadata_;
};

// Writes tensors in the order announced, each when its bytes are given; nothing is held in memory.
class SafetensorsWriter {
 public:
  struct Entry {
    std::string name;
    TensorInfo info;
  };
  SafetensorsWriter(const std::filesystem::path& path, std::vector<Entry> entries,
                    const std::map<std::string, std::string>& metadata = {{"format", "pt"}});
  // The next bytes of the next tensor; tensors may be written in pieces.
  void write(std::span<const std::byte> bytes);
  // Throws internal if bytes are missing; fsyncs.
  void finish();
  // Of the whole file, once it is finished.
  std::uint64_t size() const noexcept { return end_; }
  std::string fingerprint() const { return hasher_.hex(); }

 private:
  void put(std::span<const std::byte> bytes);

  StreamedFile file_;
  Hasher hasher_;
  std::uint64_t end_ = 0;
};

}  // namespace ilt
