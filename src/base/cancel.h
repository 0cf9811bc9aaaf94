// A request to stop that any thread, or a signal handler, may make, and that work polls between units.
#pragma once

#include <atomic>
#include <memory>

#include "base/error.h"

namespace ilt {

// A copyable view of one flag; a default-made one is never cancelled.
class CancelToken {
 public:
  CancelToken() = default;
  static CancelToken make() {
    CancelToken token;
    token.flag_ = std::make_shared<std::atomic<bool>>(false);
    return token;
  }

  // One lock-free store: safe in a signal handler.
  void cancel() const noexcept {
    if (flag_) flag_->store(true, std::memory_order_relaxed);
  }
  bool cancelled() const noexcept { return flag_ && flag_->load(std::memory_order_relaxed); }
  void check() const {
    if (cancelled()) throw Stopped();
  }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free);
  std::shared_ptr<std::atomic<bool>> flag_;
};

}  // namespace ilt
