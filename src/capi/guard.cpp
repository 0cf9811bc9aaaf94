// Exceptions to statuses, and the rules of who may use a handle when.
#include "capi/guard.h"

#include <c10/util/Exception.h>

#include <filesystem>
#include <new>
#include <system_error>

#include "base/log.h"
#include "base/text.h"

namespace ilt::capi {
namespace {

#define ILT_SAME(name, constant) static_assert(static_cast<std::int32_t>(Status::name) == constant)
ILT_SAME(ok, ILT_OK);
ILT_SAME(done, ILT_DONE);
ILT_SAME(stopped, ILT_STOPPED);
ILT_SAME(invalid_argument, ILT_ERR_INVALID_ARGUMENT);
ILT_SAME(invalid_state, ILT_ERR_INVALID_STATE);
ILT_SAME(busy, ILT_ERR_BUSY);
ILT_SAME(config, ILT_ERR_CONFIG);
ILT_SAME(not_found, ILT_ERR_NOT_FOUND);
ILT_SAME(io, ILT_ERR_IO);
ILT_SAME(format, ILT_ERR_FORMAT);
ILT_SAME(data, ILT_ERR_DATA);
ILT_SAME(oom_host, ILT_ERR_OOM_HOST);
ILT_SAME(oom_device, ILT_ERR_OOM_DEVICE);
ILT_SAME(device, ILT_ERR_DEVICE);
ILT_SAME(numeric, ILT_ERR_NUMERIC);
ILT_SAME(dist, ILT_ERR_DIST);
ILT_SAME(timeout, ILT_ERR_TIMEOUT);
ILT_SAME(unsupported, ILT_ERR_UNSUPPORTED);
ILT_SAME(version, ILT_ERR_VERSION);
ILT_SAME(callback, ILT_ERR_CALLBACK);
ILT_SAME(forked, ILT_ERR_FORKED);
ILT_SAME(internal, ILT_ERR_INTERNAL);
#undef ILT_SAME

constexpr const char* fork_advice = "fork before the first session is made, or exec a new program in the child";
constexpr const char* lower_memory =
    "out of memory; lower max_batch_len, max_seq_len or effective_batch_size, or take a smaller model";

// libtorch's own errors: memory is the one that a program can act on.
Error from_libtorch(const c10::Error& error) {
  const std::string what = error.what_without_backtrace();
  // The last three: sizes that no memory could hold.
  for (const char* sign : {"can't allocate memory", "not enough memory", "Storage size calculation overflowed",
                           "multiplication overflow", "overflow when unpacking"})
    if (what.find(sign) != std::string::npos) return {Status::oom_host, lower_memory, {{"libtorch", what}}};
  return {Status::internal, "libtorch: " + what};
}

// Of the standard library's own: what starts threads is all that libilt leaves to it.
Error from_system(const std::system_error& error) {
  const Json detail = {{"errno", error.code().value()}};
  if (error.code() == std::errc::resource_unavailable_try_again)
    return {Status::io,
            "the system does not let this process start another thread; lower num_threads, or raise the limit of "
            "processes (ulimit -u)",
            detail};
  return {Status::io, error.what(), detail};
}

Error current_error() {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const c10::OutOfMemoryError& error) {
    return {Status::oom_device, lower_memory, {{"libtorch", error.what_without_backtrace()}}};
  } catch (const c10::AcceleratorError& error) {
    return {Status::device,
            std::string("the device has failed: ") + error.what_without_backtrace(),
            {{"code", error.get_error_code()}}};
  } catch (const c10::NotImplementedError& error) {
    return {Status::unsupported, std::string("libtorch: ") + error.what_without_backtrace()};
  } catch (const c10::Error& error) {
    return from_libtorch(error);
  } catch (const std::bad_alloc&) {
    return {Status::oom_host, lower_memory};
  } catch (const std::length_error& error) {  // a container larger than any memory
    return {Status::oom_host, lower_memory, {{"reason", error.what()}}};
  } catch (const std::filesystem::filesystem_error& error) {
    return {Status::io, error.what(), {{"file", error.path1().string()}, {"errno", error.code().value()}}};
  } catch (const std::system_error& error) {
    return from_system(error);
  } catch (const std::exception& error) {
    return {Status::internal, error.what()};
  } catch (...) {
    return {Status::internal, "an exception of unknown type"};
  }
}

}  // namespace

ilt_status translate_exception(ilt_error** err) noexcept {
  try {
    try {
      throw;
    } catch (const Stopped&) {
      return ILT_STOPPED;
    } catch (...) {
      const Error error = current_error();
      if (err != nullptr) *err = new ilt_error{error.status(), one_line(error.what()), to_line(error.detail())};
      return static_cast<ilt_status>(error.status());
    }
  } catch (...) {
    // There is no memory even for the error: the status alone tells.
    if (err != nullptr) *err = nullptr;
    return ILT_ERR_OOM_HOST;
  }
}

void require_own_threads() {
  static std::atomic<pid_t> first{0};
  pid_t none = 0;
  const pid_t self = ::getpid();
  if (!first.compare_exchange_strong(none, self) && none != self)
    fail(Status::forked, "a session was made in this process's parent before fork(), and its threads are not here; {}",
         fork_advice);
}

void require_usable(const Session& session) {
  const std::exception_ptr cause = session.cause_of_loss();
  if (!cause) return;
  const auto error = [&] {
    try {
      std::rethrow_exception(cause);
    } catch (...) {
      return current_error();
    }
  }();
  throw Error(
      error.status(),
      fmt::format("this session is of no more use, as work on its weights was broken off: {}. Free it, and go on "
                  "from a checkpoint in a new one",
                  error.what()),
      error.detail());
}

Use::Use(Handle& handle, Access access, const char* kind) {
  if (handle.forked())
    fail(Status::forked, "this {} was made before fork() and is of no use in the child; {}", kind, fork_advice);
  if (access == Access::shared) return;
  std::thread::id none;
  if (handle.user.compare_exchange_strong(none, std::this_thread::get_id())) {
    held_ = &handle;
    return;
  }
  if (none != std::this_thread::get_id()) fail(Status::busy, "another thread is using this {}", kind);
  if (access != Access::nested) fail(Status::invalid_state, "not possible from inside a callback of this {}", kind);
}

Use::~Use() {
  if (held_ != nullptr) held_->user = std::thread::id();
}

template <typename H>
void release(H* handle) noexcept {
  if (handle == nullptr || handle->forked()) return;
  if (handle->user.load() != std::thread::id()) {
    log::write(log::Level::error, "capi", std::string(H::kind) + " freed while a call uses it: it is kept");
    return;
  }
  delete handle;
}

template void release(ilt_config*) noexcept;
template void release(ilt_tokenizer*) noexcept;
template void release(ilt_dataset*) noexcept;
template void release(ilt_batch*) noexcept;
template void release(ilt_session*) noexcept;

}  // namespace ilt::capi
