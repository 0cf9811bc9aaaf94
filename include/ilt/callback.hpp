// Functions of a program behind the callbacks of ilt.h; what they throw comes out of the call that ran them.
#ifndef ILT_CALLBACK_HPP_
#define ILT_CALLBACK_HPP_

#include <ilt.h>

#include <ilt/error.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <utility>

namespace ilt {

// What a callback answers.
enum class Next : std::int32_t { go_on = 0, stop = 1 };

using Event = ilt_event;
using EventFunction = std::function<Next(const Event&)>;
using TokenFunction = std::function<Next(std::int32_t token_id)>;
using ProgressFunction = std::function<Next(std::int64_t records, std::int64_t bytes_done, std::int64_t bytes_total)>;

namespace detail {

// A function of the program behind a callback of ilt.h, where no exception may pass: the call that ran it throws it on.
template <typename... Arguments>
class Callback {
 public:
  explicit Callback(std::function<Next(Arguments...)> function) : function_(std::move(function)) {}

  static std::int32_t run(Arguments... arguments, void* self) noexcept {
    auto* callback = static_cast<Callback*>(self);
    try {
      return static_cast<std::int32_t>(callback->function_(arguments...));
    } catch (...) {
      callback->thrown_ = std::current_exception();
      return -1;
    }
  }

  // As detail::call(), for a function during which the callback may run.
  template <typename F>
  ilt_status call(F&& function) {
    thrown_ = nullptr;
    try {
      return detail::call(function);
    } catch (const Error&) {
      if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
      throw;
    }
  }

  explicit operator bool() const noexcept { return static_cast<bool>(function_); }

 private:
  std::function<Next(Arguments...)> function_;
  std::exception_ptr thrown_;
};

inline std::int32_t on_event(const ilt_event* event, void* self) noexcept {
  return Callback<const Event&>::run(*event, self);
}

}  // namespace detail

}  // namespace ilt

#endif  // ILT_CALLBACK_HPP_
