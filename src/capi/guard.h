// The door of every function that can fail: checks the handle, runs the body, turns exceptions into a status and error.
#pragma once

#include <c10/util/Exception.h>

#include <type_traits>
#include <utility>

#include "capi/handles.h"

namespace ilt::capi {

// Translates the exception that is being handled; fills *err unless the outcome is no error.
ilt_status translate_exception(ilt_error** err) noexcept;

// One call's use of a handle. Throws forked, busy or invalid_state.
class Use {
 public:
  Use(Handle& handle, Access access, const char* kind);
  ~Use();
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

 private:
  Handle* held_ = nullptr;
};

// Throws what the session was lost by.
void require_usable(const Session& session);

// To be called before the first use of libtorch's threads, which a fork() leaves behind: work in the child would wait
// for them forever. Throws forked where a parent process has called it.
void require_own_threads();

inline void require(const void* argument, const char* name) {
  if (argument == nullptr)
    throw Error(Status::invalid_argument, fmt::format("argument '{}' is NULL", name), {{"argument", name}});
}

template <typename Body>
ilt_status guard(ilt_error** err, Body&& body) noexcept {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Body>>) {
      std::forward<Body>(body)();
      return ILT_OK;
    } else {
      return std::forward<Body>(body)();
    }
  } catch (...) {
    return translate_exception(err);
  }
}

// Runs the body with the handle in use.
template <typename H, typename Body>
auto use(H* handle, Access access, Body&& body) {
  require(handle, H::kind);
  // Calls that are const to the caller still mark the handle as used.
  const Use held(const_cast<std::remove_const_t<H>&>(*handle), access, H::kind);
  return std::forward<Body>(body)();
}
// A session that has been lost does nothing more but what any thread may ask; one whose device fails is lost.
template <typename Body>
auto use(ilt_session* session, Access access, Body&& body) {
  require(session, ilt_session::kind);
  const Use held(*session, access, ilt_session::kind);
  require_usable(session->value);
  try {
    return std::forward<Body>(body)();
  } catch (const c10::AcceleratorError&) {
    session->value.lose(std::current_exception());
    throw;
  }
}

template <typename H, typename Body>
ilt_status guard(H* handle, Access access, ilt_error** err, Body&& body) noexcept {
  return guard(err, [&] { return use(handle, access, std::forward<Body>(body)); });
}

// The end of a handle: nothing in a forked child, whose copy of the memory is not its own; nothing, with a line in the
// log, while a call still uses it.
template <typename H>
void release(H* handle) noexcept;

// user_data, destroyed with the last copy of the pointer; destroy runs even if this throws.
inline std::shared_ptr<void> own(void* user_data, ilt_destroy_fn destroy) {
  return {user_data, [destroy](void* data) {
            if (destroy != nullptr) destroy(data);
          }};
}

}  // namespace ilt::capi
