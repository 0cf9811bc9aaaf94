// The log over spdlog: one sink that hands each line to the host's function.
#include "base/log.h"

#include <spdlog/sinks/base_sink.h>

#include <atomic>
#include <mutex>
#include <string>

#include "base/text.h"

namespace ilt::log {
namespace {

static_assert(static_cast<int>(Level::trace) == SPDLOG_LEVEL_TRACE);
static_assert(static_cast<int>(Level::error) == SPDLOG_LEVEL_ERROR);

spdlog::level::level_enum to_spdlog(Level level) noexcept {
  return level == Level::off ? spdlog::level::off : static_cast<spdlog::level::level_enum>(level);
}

// base_sink's mutex makes a call into the host's function and its replacement exclude each other.
class HostSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  HostSink() { set_level(spdlog::level::off); }

  // Called from inside the host's function, too, so without the lock that it runs under.
  void set_min_level(Level min_level) noexcept {
    if (has_host_.load()) set_level(to_spdlog(min_level));
  }

  void replace(Sink host, Level min_level) {
    {
      const std::lock_guard lock(mutex_);
      std::swap(host_, host);
      has_host_.store(static_cast<bool>(host_));
      set_level(host_ ? to_spdlog(min_level) : spdlog::level::off);
    }
    // The old function dies here, outside the lock: its destructor may take locks of its own.
  }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (!host_) return;
    const auto level = static_cast<Level>(message.level);
    host_(level, {message.logger_name.data(), message.logger_name.size()},
          {message.payload.data(), message.payload.size()});
  }
  void flush_() override {}

  Sink host_;
  std::atomic<bool> has_host_{false};
};

// Never destroyed: other threads may still log while the process ends.
HostSink& host_sink() {
  static auto* const sink = new HostSink;
  return *sink;
}

}  // namespace

void set_sink(Sink sink, Level min_level) {
  host_sink().replace(std::move(sink), min_level);
}

void set_level(Level min_level) noexcept {
  host_sink().set_min_level(min_level);
}

Level level() noexcept {
  const auto level = host_sink().level();
  return level == spdlog::level::off ? Level::off : static_cast<Level>(level);
}

bool enabled(Level level) noexcept {
  return level < Level::off && host_sink().should_log(to_spdlog(level));
}

void write(Level level, std::string_view component, std::string_view message) {
  try {
    const std::string line = one_line(message);
    host_sink().log({spdlog::string_view_t(component.data(), component.size()), to_spdlog(level), line});
  } catch (...) {
    // A host's log function that fails must not fail the work that it was told of.
  }
}

}  // namespace ilt::log
