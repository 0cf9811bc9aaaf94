// Fuzzes the safetensors reader: any bytes give tensors inside the file or Error(format), and nothing else.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "base/error.h"
#include "weights/convert.h"
#include "weights/safetensors_header.h"

namespace {

bool converts(ilt::DType dtype) {
  return dtype == ilt::DType::f64 || dtype == ilt::DType::f32 || dtype == ilt::DType::f16 || dtype == ilt::DType::bf16;
}

void check(const ilt::TensorView& view, std::span<const std::byte> file) {
  if (view.bytes.size() != view.info.num_bytes()) std::abort();
  if (view.bytes.data() < file.data() || view.bytes.data() + view.bytes.size() > file.data() + file.size())
    std::abort();
  if (!converts(view.info.dtype)) return;
  std::vector<float> values(static_cast<std::size_t>(view.info.numel()));
  ilt::to_float(view, values);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> file(reinterpret_cast<const std::byte*>(data), size);
  try {
    for (const auto& [name, view] : ilt::read_safetensors(file, "fuzz").tensors) check(view, file);
  } catch (const ilt::Error& e) {
    if (e.status() != ilt::Status::format) std::abort();
  }
  return 0;
}

// Mutations of the header text would leave its length wrong, and the reader would see none of them.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  constexpr std::size_t prefix = 8;
  if (seed % 8 == 0 || size < prefix || max_size <= prefix) return LLVMFuzzerMutate(data, size, max_size);
  std::uint64_t length = 0;
  std::memcpy(&length, data, prefix);
  const std::size_t tail = length <= size - prefix ? size - prefix - static_cast<std::size_t>(length) : 0;
  const std::size_t new_size = prefix + LLVMFuzzerMutate(data + prefix, size - prefix, max_size - prefix);
  length = new_size - prefix >= tail ? new_size - prefix - tail : new_size - prefix;
  std::memcpy(data, &length, prefix);
  return new_size;
}
