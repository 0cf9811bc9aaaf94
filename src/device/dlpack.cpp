// DLPack's structs, made and checked.
#include "device/dlpack.h"

#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <memory>
#include <span>

#include "base/error.h"
#include "base/json.h"

namespace ilt {
namespace {

struct Exported {
  at::Tensor tensor;
  std::vector<std::int64_t> shape, strides;
  DLManagedTensorVersioned managed{};
};

DLDataType type_of(const at::Tensor& tensor) {
  const auto bits = static_cast<std::uint8_t>(8 * tensor.element_size());
  return {static_cast<std::uint8_t>(tensor.scalar_type() == at::kBFloat16 ? kDLBfloat : kDLFloat), bits, 1};
}

at::ScalarType scalar_type_of(const DLDataType& type) {
  if (type.lanes == 1 && type.code == kDLBfloat && type.bits == 16) return at::kBFloat16;
  if (type.lanes == 1 && type.code == kDLFloat && type.bits == 16) return at::kHalf;
  if (type.lanes == 1 && type.code == kDLFloat && type.bits == 32) return at::kFloat;
  if (type.lanes == 1 && type.code == kDLFloat && type.bits == 64) return at::kDouble;
  fail(Status::invalid_argument,
       "the tensor's type is DLPack code {}, {} bits, {} lanes; expected float32, float64, bfloat16 or float16",
       static_cast<int>(type.code), static_cast<int>(type.bits), static_cast<int>(type.lanes));
}

std::vector<std::int64_t> dense_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

void require_shape(const DLTensor& tensor, const std::vector<std::int64_t>& expected) {
  std::vector<std::int64_t> got;
  if (tensor.ndim > 0 && tensor.shape != nullptr) got.assign(tensor.shape, tensor.shape + tensor.ndim);
  if (got == expected) return;
  throw Error(Status::invalid_argument,
              fmt::format("the tensor has the shape {}, expected {}", to_line(Json(got)), to_line(Json(expected))),
              {{"got", got}, {"expected", expected}});
}

}  // namespace

DLDeviceType dlpack_type(c10::DeviceType type) noexcept {
  switch (type) {
    case c10::DeviceType::CPU:
      return kDLCPU;
    case c10::DeviceType::CUDA:
      return kDLCUDA;
    case c10::DeviceType::HIP:
      return kDLROCM;
    case c10::DeviceType::MPS:
      return kDLMetal;
    case c10::DeviceType::XPU:
      return kDLOneAPI;
    default:
      return kDLExtDev;
  }
}

DLManagedTensorVersioned* to_dlpack(const at::Tensor& tensor, std::uint64_t flags) {
  auto exported = std::make_unique<Exported>(Exported{tensor, tensor.sizes().vec(), tensor.strides().vec()});
  DLManagedTensorVersioned& managed = exported->managed;
  managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  managed.flags = flags;
  managed.dl_tensor = {
      .data = const_cast<void*>(tensor.const_data_ptr()),
      .device = {dlpack_type(tensor.device().type()), std::max<std::int32_t>(0, tensor.device().index())},
      .ndim = static_cast<std::int32_t>(tensor.dim()),
      .dtype = type_of(tensor),
      .shape = exported->shape.data(),
      .strides = exported->strides.data(),
      .byte_offset = 0};
  managed.manager_ctx = exported.get();
  managed.deleter = [](DLManagedTensorVersioned* self) { delete static_cast<Exported*>(self->manager_ctx); };
  return &exported.release()->managed;
}

ForeignTensor::~ForeignTensor() {
  if (source_ != nullptr && source_->deleter != nullptr) source_->deleter(source_);
}

at::Tensor ForeignTensor::view(const std::vector<std::int64_t>& shape) const {
  if (source_->version.major != DLPACK_MAJOR_VERSION)
    fail(Status::version, "the tensor is of DLPack {}, this libilt takes DLPack {}", source_->version.major,
         DLPACK_MAJOR_VERSION);
  const DLTensor& given = source_->dl_tensor;
  require_shape(given, shape);
  if (given.device.device_type != kDLCPU)
    fail(Status::invalid_argument, "the tensor is on a device of DLPack type {}, expected 1: the host's memory",
         static_cast<int>(given.device.device_type));
  const at::ScalarType type = scalar_type_of(given.dtype);
  const auto strides =
      given.strides != nullptr ? std::vector(given.strides, given.strides + given.ndim) : dense_strides(shape);
  if (std::any_of(strides.begin(), strides.end(), [](std::int64_t stride) { return stride < 0; }))
    fail(Status::invalid_argument, "the tensor has a negative stride: give a copy in row-major order");
  if (given.data == nullptr) fail(Status::invalid_argument, "the tensor has no data: its pointer is NULL");
  return at::from_blob(static_cast<std::byte*>(given.data) + given.byte_offset, shape, strides, type);
}

}  // namespace ilt
