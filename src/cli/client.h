// libilt's C interface for the command: handles that free themselves, errors as exceptions.
#pragma once

#include <ilt.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace ilt_cli {

// A wrong command line: exit code 2.
struct Usage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What libilt refused: exit code 2 for an option, else 1.
struct Failure : std::runtime_error {
  Failure(ilt_status failed, const std::string& message) : std::runtime_error(message), status(failed) {}
  ilt_status status;
};

template <typename T, void (*free)(T*)>
struct Freed {
  void operator()(T* handle) const { free(handle); }
};
using Config = std::unique_ptr<ilt_config, Freed<ilt_config, ilt_config_free>>;
using Dataset = std::unique_ptr<ilt_dataset, Freed<ilt_dataset, ilt_dataset_free>>;
using Session = std::unique_ptr<ilt_session, Freed<ilt_session, ilt_session_free>>;
using Tokenizer = std::unique_ptr<ilt_tokenizer, Freed<ilt_tokenizer, ilt_tokenizer_free>>;
using CancelToken = std::unique_ptr<ilt_cancel_token, Freed<ilt_cancel_token, ilt_cancel_token_free>>;
using Error = std::unique_ptr<ilt_error, Freed<ilt_error, ilt_error_free>>;
template <typename T>
struct FreedMemory {
  void operator()(T* memory) const { ilt_free(memory); }
};
template <typename T>
using Memory = std::unique_ptr<T, FreedMemory<T>>;

// call(ilt_x, a, b) is ilt_x(a, b, &err) that throws Failure; the status is 0 or positive.
template <typename Function, typename... Args>
ilt_status call(Function function, Args&&... args) {
  ilt_error* raw = nullptr;
  const ilt_status status = function(std::forward<Args>(args)..., &raw);
  const Error error(raw);
  if (status < 0) throw Failure(status, error ? ilt_error_message(error.get()) : ilt_status_name(status));
  return status;
}

// make<Config>(ilt_config_create, ...): functions whose last parameter before err gives a handle.
template <typename Handle, typename Function, typename... Args>
Handle make(Function function, Args&&... args) {
  typename Handle::pointer raw = nullptr;
  call(function, std::forward<Args>(args)..., &raw);
  return Handle(raw);
}

// Functions that give a string and its length.
template <typename Function, typename... Args>
std::string text_of(Function function, Args&&... args) {
  char* raw = nullptr;
  std::size_t length = 0;
  call(function, std::forward<Args>(args)..., &raw, &length);
  const Memory<char> memory(raw);
  return {raw, length};
}

}  // namespace ilt_cli
