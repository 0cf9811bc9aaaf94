// Writing while the run goes on: one task at a time, on a thread of its own.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <future>

#include "base/log.h"
#include "base/quiet_thread.h"

namespace ilt {

class BackgroundWriter {
 public:
  BackgroundWriter() = default;
  BackgroundWriter(const BackgroundWriter&) = delete;
  BackgroundWriter& operator=(const BackgroundWriter&) = delete;
  // Waits; a failure that nobody asked for is logged.
  ~BackgroundWriter() {
    try {
      finish();
    } catch (const std::exception& error) {
      log::emit(log::Level::error, "checkpoint", "a save in the background has failed: {}", error.what());
    } catch (...) {
      log::emit(log::Level::error, "checkpoint", "a save in the background has failed");
    }
  }

  // A task that was started and not asked for: its result is waiting for finish().
  bool started() const noexcept { return task_.valid(); }
  bool running() const { return started() && task_.wait_for(std::chrono::seconds(0)) != std::future_status::ready; }

  // Only where none is started. The task must not use libtorch's threads, which belong to the run.
  void start(std::function<void()> task) {
    if (started()) fail(Status::internal, "a background save is started while another one is under way");
    task_ = run_quietly([task = std::move(task)] {
      yield_to_others();  // each thread of the run waits for the slowest one
      task();
    });
  }
  // Waits for the task, if one was started; throws what it threw.
  void finish() {
    if (started()) task_.get();
  }

 private:
  std::future<void> task_;
};

}  // namespace ilt
