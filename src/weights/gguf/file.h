// GGUF files (ggml's format), versions 2 and 3: metadata and tensors, memory-mapped, read from untrusted bytes.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/files.h"
#include "weights/gguf/metadata.h"
#include "weights/gguf/types.h"

namespace ilt {

// A tensor that lives in a mapped file.
struct GgufTensor {
  GgufTensorType type = GgufTensorType::f32;
  std::vector<std::int64_t> shape;  // outermost dimension first, which is the reverse of the file's order
  std::span<const std::byte> bytes;

  std::int64_t row_values() const { return shape.empty() ? 1 : shape.back(); }
  std::int64_t numel() const;
};

struct GgufContent {
  GgufMetadata metadata;
  std::map<std::string, GgufTensor> tensors;  // views into the bytes given
};

// `file` is the whole file. Throws format, naming `path`, the key or tensor, what was found, what was expected and what
// to do; unsupported for versions, byte orders and types that libilt does not know.
GgufContent read_gguf(std::span<const std::byte> file, const std::filesystem::path& path);

// The same of a file without its data: tensors have no bytes.
GgufContent read_gguf_head(std::span<const std::byte> head, const std::filesystem::path& path);

class GgufFile {
 public:
  explicit GgufFile(const std::filesystem::path& path) : file_(path), content_(read_gguf(file_.bytes(), path)) {}

  const std::filesystem::path& path() const noexcept { return file_.path(); }
  const GgufContent& content() const noexcept { return content_; }
  const GgufMetadata& metadata() const noexcept { return content_.metadata; }
  const std::map<std::string, GgufTensor>& tensors() const noexcept { return content_.tensors; }

 private:
  MappedFile file_;
  GgufContent content_;
};

}  // namespace ilt
