// Devices: which ones this process can use, and the one that an option names.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ilt {

struct DeviceInfo {
  c10::Device device{c10::DeviceType::CPU};
  std::string id;  // "cpu", "cuda:0": what resolve_device takes
  std::string name;
  std::int64_t total_bytes = 0;  // 0: unknown
  std::int64_t free_bytes = 0;
};

// The CPU, then the accelerators that libtorch has loaded support for.
std::vector<DeviceInfo> list_devices();

// "cpu", "cuda:0", "cuda" (its first), "auto" (the first accelerator, else the CPU).
// Throws device where it is missing, naming what there is.
c10::Device resolve_device(std::string_view id);

}  // namespace ilt
