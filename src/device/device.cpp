// Devices through libtorch's accelerator interface; the CPU through the system's own tables.
#include "device/device.h"

#include <ATen/DeviceAccelerator.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "base/error.h"

namespace ilt {
namespace {

// The value of the first line "key<separators>value" of a system table; empty where there is none.
std::string table_value(const char* file, std::string_view key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key)) continue;
    const auto begin = line.find_first_not_of(" \t:", key.size());
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return {};
}

std::int64_t meminfo_bytes(std::string_view key) {
  const auto value = table_value("/proc/meminfo", key);
  return value.empty() ? 0 : std::strtoll(value.c_str(), nullptr, 10) * 1024;
}

DeviceInfo describe_cpu() {
  DeviceInfo info;
  info.id = "cpu";
  info.name = table_value("/proc/cpuinfo", "model name");
  if (info.name.empty()) info.name = "CPU";
  info.total_bytes = meminfo_bytes("MemTotal");
  info.free_bytes = meminfo_bytes("MemAvailable");
  if (info.total_bytes == 0)
    info.total_bytes = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  return info;
}

DeviceInfo describe_accelerator(c10::DeviceType type, c10::DeviceIndex index) {
  DeviceInfo info;
  info.device = c10::Device(type, index);
  info.id = info.device.str();
  info.name = c10::DeviceTypeName(type);
  return info;
}

[[noreturn]] void fail_missing(std::string_view id, const std::vector<DeviceInfo>& devices) {
  Json ids = Json::array();
  std::string list;
  for (const auto& device : devices) {
    ids.push_back(device.id);
    list += (list.empty() ? "" : ", ") + device.id;
  }
  throw Error(Status::device, fmt::format("device '{}' is not there; this process can use: {} (or auto)", id, list),
              {{"key", "device"}, {"got", id}, {"expected", std::move(ids)}});
}

}  // namespace

std::vector<DeviceInfo> list_devices() {
  std::vector<DeviceInfo> devices = {describe_cpu()};
  if (const auto type = at::accelerator::getAccelerator(); type && *type != c10::DeviceType::CPU)
    for (c10::DeviceIndex i = 0; i < at::accelerator::deviceCount(); ++i)
      devices.push_back(describe_accelerator(*type, i));
  return devices;
}

c10::Device resolve_device(std::string_view id) {
  const auto devices = list_devices();
  if (id == "auto") return devices[devices.size() > 1 ? 1 : 0].device;
  for (const auto& info : devices)
    if (info.id == id || (info.id == std::string(id) + ":0" && !id.empty())) return info.device;
  fail_missing(id, devices);
}

}  // namespace ilt
