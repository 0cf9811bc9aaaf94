// The library itself: version, build, devices, log.
#ifndef ILT_LIBRARY_HPP_
#define ILT_LIBRARY_HPP_

#include <ilt.h>

#include <ilt/error.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ilt {

// "0.1.0", of the library that runs.
inline std::string version() {
  return ilt_version_string();
}
// The same as a number.
inline std::uint32_t version_number() noexcept {
  return ilt_version_number();
}
// The interface of the library that runs: ILT_ABI_VERSION is what this program was compiled against.
inline std::uint32_t abi_version() noexcept {
  return ilt_abi_version();
}
// How the library was built.
inline std::string build_info_json() {
  return ilt_build_info_json();
}
// Whether this build has a feature.
inline bool has_feature(const std::string& name) noexcept {
  return ilt_has_feature(name.c_str()) != 0;
}
// The model families that can be trained.
inline std::string model_families_json() {
  return ilt_model_families_json();
}
// All options as a JSON Schema.
inline std::string config_schema_json() {
  return ilt_config_schema_json();
}

using DeviceInfo = ilt_device_info;

// The devices that can be used; the first is the CPU.
inline std::vector<DeviceInfo> devices() {
  std::int32_t count = 0;
  detail::call([&](ilt_error** err) { return ilt_device_count(&count, err); });
  std::vector<DeviceInfo> found;
  for (std::int32_t i = 0; i < count; ++i) {
    DeviceInfo info = ILT_DEVICE_INFO_INIT;
    detail::call([&](ilt_error** err) { return ilt_device_get(i, &info, err); });
    found.push_back(info);
  }
  return found;
}

using LogFunction = std::function<void(ilt_log_level, std::string_view component, std::string_view message)>;

// Sends log lines of the whole process to `function`, from any thread; an empty one silences the log. What it throws is
// dropped: no call of the program stands behind a line.
inline void log_set(LogFunction function, ilt_log_level min_level = ILT_LOG_INFO) {
  auto owned = function ? std::make_unique<LogFunction>(std::move(function)) : nullptr;
  const ilt_log_fn on_line = [](ilt_log_level level, const char* component, const char* message, void* self) {
    try {
      (*static_cast<LogFunction*>(self))(level, component, message);
    } catch (...) {
    }
  };
  const ilt_destroy_fn destroy = [](void* self) { delete static_cast<LogFunction*>(self); };
  const bool silent = owned == nullptr;
  detail::call([&](ilt_error** err) {
    return ilt_log_set(silent ? nullptr : on_line, owned.release(), silent ? nullptr : destroy, min_level, err);
  });
}
// The lowest level that is logged.
inline ilt_log_level log_level() noexcept {
  return ilt_log_level_get();
}
// Logs lines of at least this level from now on.
inline void log_level_set(ilt_log_level min_level) noexcept {
  ilt_log_level_set(min_level);
}

}  // namespace ilt

#endif  // ILT_LIBRARY_HPP_
