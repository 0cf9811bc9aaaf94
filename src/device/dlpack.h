// Tensors from and to other libraries, by DLPack 1.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/dlpack.h>

#include <cstdint>
#include <vector>

namespace ilt {

DLDeviceType dlpack_type(c10::DeviceType type) noexcept;

// Shares the tensor's memory. The receiver calls the result's deleter; `flags` are DLPACK_FLAG_BITMASK_....
DLManagedTensorVersioned* to_dlpack(const at::Tensor& tensor, std::uint64_t flags);

// A tensor that another library has handed over: its deleter is called at the end.
class ForeignTensor {
 public:
  explicit ForeignTensor(DLManagedTensorVersioned* source) noexcept : source_(source) {}
  ~ForeignTensor();
  ForeignTensor(const ForeignTensor&) = delete;
  ForeignTensor& operator=(const ForeignTensor&) = delete;

  // A view of it, which must have this shape, a floating-point type and be in the host's memory. Throws version or
  // invalid_argument.
  at::Tensor view(const std::vector<std::int64_t>& shape) const;

 private:
  DLManagedTensorVersioned* source_;
};

}  // namespace ilt
