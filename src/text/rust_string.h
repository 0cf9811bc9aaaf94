// Strings that the Rust crate hands out, owned for a scope.
#pragma once

#include <string>
#include <string_view>

#include "text/rust/ilt_text.h"

namespace ilt {

class RustString {
 public:
  RustString() = default;
  ~RustString() { ilt_text_string_free(&string_); }
  RustString(const RustString&) = delete;
  RustString& operator=(const RustString&) = delete;

  ilt_text_string* out() noexcept { return &string_; }
  std::string_view view() const noexcept { return {string_.data, string_.size}; }
  std::string str() const { return std::string(view()); }

 private:
  ilt_text_string string_{nullptr, 0};
};

}  // namespace ilt
