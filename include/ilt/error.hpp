// Errors of ilt.h as an exception, and what the other headers share: owners of handles, results as values.
#ifndef ILT_ERROR_HPP_
#define ILT_ERROR_HPP_

#include <ilt.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace ilt {

// What a function of ilt.h reports with a negative status; what() is its message.
class Error : public std::runtime_error {
 public:
  Error(ilt_status status, const std::string& message, const std::string& detail_json)
      : std::runtime_error(message), status_(status), detail_(std::make_shared<const std::string>(detail_json)) {}

  // ILT_ERR_CONFIG, ...
  ilt_status status() const noexcept { return status_; }
  // "ILT_ERR_CONFIG", ...
  const char* status_name() const noexcept { return ilt_status_name(status_); }
  // The facts as one JSON object: key, got, expected, nearest, file, line, ...
  const std::string& detail_json() const noexcept { return *detail_; }

 private:
  ilt_status status_;
  std::shared_ptr<const std::string> detail_;  // shared: exceptions are copied without throwing
};

namespace detail {

// Frees a handle, or memory, with a function of ilt.h.
template <auto function>
struct FreedBy {
  template <typename T>
  void operator()(T* pointer) const noexcept {
    function(pointer);
  }
};

template <typename T, auto function>
using Handle = std::unique_ptr<T, FreedBy<function>>;
template <typename T>
using Memory = std::unique_ptr<T, FreedBy<ilt_free>>;

// Calls function(&err); a negative status becomes an Error.
template <typename F>
ilt_status call(F&& function) {
  ilt_error* err = nullptr;
  const ilt_status status = function(&err);
  if (status >= 0) return status;
  const Handle<ilt_error, ilt_error_free> owner(err);
  throw Error(status, ilt_error_message(err), ilt_error_detail_json(err));
}

// The handle that function(&handle, &err) makes.
template <typename H, typename F>
H make(F&& function) {
  typename H::pointer handle = nullptr;
  call([&](ilt_error** err) { return function(&handle, err); });
  return H(handle);
}

// The text that function(&text, &length, &err) gives.
template <typename F>
std::string text(F&& function) {
  char* out = nullptr;
  std::size_t length = 0;
  call([&](ilt_error** err) { return function(&out, &length, err); });
  const Memory<char> owner(out);
  return std::string(out, length);
}

inline std::vector<std::int32_t> to_vector(const std::int32_t* ids, std::size_t count) {
  return count == 0 ? std::vector<std::int32_t>() : std::vector<std::int32_t>(ids, ids + count);
}

inline const char* or_null(const std::string& options_json) {
  return options_json.empty() ? nullptr : options_json.c_str();
}

}  // namespace detail

}  // namespace ilt

#endif  // ILT_ERROR_HPP_
