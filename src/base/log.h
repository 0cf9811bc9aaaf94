// The log: whole lines to a sink that the host sets; silent until it does.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string_view>
#include <utility>

namespace ilt::log {

enum class Level : int { trace = 0, debug = 1, info = 2, warn = 3, error = 4, off = 5 };

// `component` is the layer ("data", "train"); `message` is one line without its end.
using Sink = std::function<void(Level level, std::string_view component, std::string_view message)>;

// Replaces the sink (an empty one silences the log); returns after the last call into the old one has ended.
void set_sink(Sink sink, Level min_level);
// Nothing where there is no sink. Also from inside the sink.
void set_level(Level min_level) noexcept;
Level level() noexcept;
bool enabled(Level level) noexcept;
void write(Level level, std::string_view component, std::string_view message);

template <typename... Args>
void emit(Level level, std::string_view component, fmt::format_string<Args...> format, Args&&... args) {
  if (enabled(level)) write(level, component, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void debug(std::string_view component, fmt::format_string<Args...> format, Args&&... args) {
  emit(Level::debug, component, format, std::forward<Args>(args)...);
}
template <typename... Args>
void info(std::string_view component, fmt::format_string<Args...> format, Args&&... args) {
  emit(Level::info, component, format, std::forward<Args>(args)...);
}
template <typename... Args>
void warn(std::string_view component, fmt::format_string<Args...> format, Args&&... args) {
  emit(Level::warn, component, format, std::forward<Args>(args)...);
}

}  // namespace ilt::log
