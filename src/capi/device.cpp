// ilt.h: devices.
#include "device/device.h"

#include <algorithm>

#include "capi/guard.h"
#include "capi/output.h"
#include "device/dlpack.h"

namespace ilt::capi {
namespace {

static_assert(int{kDLCPU} == int{ILT_DEVICE_CPU});
static_assert(int{kDLCUDA} == int{ILT_DEVICE_CUDA});
static_assert(int{kDLROCM} == int{ILT_DEVICE_ROCM});
static_assert(int{kDLMetal} == int{ILT_DEVICE_METAL});
static_assert(int{kDLOneAPI} == int{ILT_DEVICE_ONEAPI});
static_assert(int{kDLExtDev} == int{ILT_DEVICE_OTHER});

template <std::size_t size>
void put(char (&out)[size], const std::string& text) {
  out[text.copy(out, size - 1)] = '\0';
}

}  // namespace
}  // namespace ilt::capi

using namespace ilt::capi;

ilt_status ilt_device_count(int32_t* out, ilt_error** err) noexcept {
  return guard(err, [&] {
    require(out, "out");
    *out = static_cast<std::int32_t>(ilt::list_devices().size());
  });
}

ilt_status ilt_device_get(int32_t index, ilt_device_info* out, ilt_error** err) noexcept {
  return guard(err, [&] {
    check_struct(out, "out");
    const auto devices = ilt::list_devices();
    if (index < 0 || static_cast<std::size_t>(index) >= devices.size())
      ilt::fail(ilt::Status::invalid_argument, "device index {} is outside 0 to {}", index, devices.size() - 1);
    const auto& device = devices[static_cast<std::size_t>(index)];
    ilt_device_info info = ILT_DEVICE_INFO_INIT;
    info.type = ilt::dlpack_type(device.device.type());
    info.index = std::max<std::int32_t>(0, device.device.index());
    info.mem_total_bytes = device.total_bytes;
    info.mem_free_bytes = device.free_bytes;
    put(info.id, device.id);
    put(info.name, device.name);
    give_struct(info, out);
  });
}
