// ilt.h: the log function.
#include "base/log.h"

#include <algorithm>
#include <string>

#include "capi/guard.h"

using namespace ilt::capi;

ilt_status ilt_log_set(ilt_log_fn fn, void* user_data, ilt_destroy_fn destroy, ilt_log_level min_level,
                       ilt_error** err) noexcept {
  return guard(err, [&] {
    const auto data = own(user_data, destroy);
    if (min_level < ILT_LOG_TRACE || min_level > ILT_LOG_OFF)
      ilt::fail(ilt::Status::invalid_argument, "min_level is {}, expected ILT_LOG_TRACE to ILT_LOG_OFF", min_level);
    ilt::log::Sink sink;
    if (fn != nullptr)
      sink = [fn, data](ilt::log::Level level, std::string_view component, std::string_view message) {
        fn(static_cast<ilt_log_level>(level), std::string(component).c_str(), std::string(message).c_str(), data.get());
      };
    ilt::log::set_sink(std::move(sink), static_cast<ilt::log::Level>(min_level));
  });
}

void ilt_log_level_set(ilt_log_level min_level) noexcept {
  ilt::log::set_level(static_cast<ilt::log::Level>(std::clamp<int>(min_level, ILT_LOG_TRACE, ILT_LOG_OFF)));
}

ilt_log_level ilt_log_level_get(void) noexcept {
  return static_cast<ilt_log_level>(ilt::log::level());
}
