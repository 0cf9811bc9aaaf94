// Memory-mapped safetensors files, and the sizes of tensors.
#include "weights/safetensors.h"

#include <utility>

#include "weights/safetensors_header.h"

namespace ilt {

std::int64_t TensorInfo::numel() const {
  std::int64_t n = 1;
  for (const std::int64_t d : shape) n *= d;
  return n;
}

std::uint64_t TensorInfo::num_bytes() const {
  return static_cast<std::uint64_t>(numel()) * dtype_size(dtype);
}

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : file_(path) {
  SafetensorsContent content = read_safetensors(file_.bytes(), path);
  tensors_ = std::move(content.tensors);
  metadata_ = std::move(content.metadata);
}

}  // namespace ilt
