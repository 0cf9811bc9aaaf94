// Whether what a session holds can still be used: work on the weights that is broken off in the middle ends that, and
// so does a device that fails.
#pragma once

#include <atomic>
#include <exception>

namespace ilt {

class Soundness {
 public:
  // Runs work that leaves the weights between two states where it throws.
  template <typename Work>
  void across(Work&& work) {
    try {
      work();
    } catch (...) {
      lose(std::current_exception());
      throw;
    }
  }

  // The first cause stays.
  void lose(std::exception_ptr cause) noexcept {
    if (lost()) return;
    cause_ = std::move(cause);
    lost_.store(true, std::memory_order_release);
  }
  // Any thread.
  bool lost() const noexcept { return lost_.load(std::memory_order_acquire); }
  // What it was lost by; null while it is not.
  std::exception_ptr cause() const noexcept { return lost() ? cause_ : nullptr; }

 private:
  std::exception_ptr cause_;
  std::atomic<bool> lost_{false};
};

}  // namespace ilt
