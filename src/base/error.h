// The one exception type of the library: a status a program can act on, a message a person can act on.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/json.h"

namespace ilt {

// Same values as ilt_status in ilt.h (checked there): frozen.
enum class Status : std::int32_t {
  ok = 0,
  done = 1,
  stopped = 2,
  invalid_argument = -1,
  invalid_state = -2,
  busy = -3,
  config = -4,
  not_found = -5,
  io = -6,
  format = -7,
  data = -8,
  oom_host = -9,
  oom_device = -10,
  device = -11,
  numeric = -12,
  dist = -13,
  timeout = -14,
  unsupported = -15,
  version = -16,
  callback = -17,
  forked = -18,
  internal = -127,
};

class Error : public std::runtime_error {
 public:
  Error(Status status, const std::string& message, Json detail = Json::object())
      : std::runtime_error(message), status_(status), detail_(std::move(detail)) {}

  Status status() const noexcept { return status_; }
  // Machine-readable facts: {"file":..., "line":..., "key":..., "got":..., "expected":...}.
  const Json& detail() const noexcept { return detail_; }

 private:
  Status status_;
  Json detail_;
};

// Work that was stopped on request; not an error, but it unwinds like one.
class Stopped : public std::runtime_error {
 public:
  Stopped() : std::runtime_error("stopped on request") {}
};

template <typename... Args>
[[noreturn]] void fail(Status status, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(status, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace ilt
