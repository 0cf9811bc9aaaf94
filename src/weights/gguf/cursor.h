// Reading forward through untrusted bytes: every step is checked against what is left.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "weights/gguf/fault.h"

namespace ilt {

class GgufCursor {
 public:
  GgufCursor(std::span<const std::byte> bytes, const std::filesystem::path& path) : bytes_(bytes), path_(&path) {}

  std::uint64_t offset() const noexcept { return offset_; }
  std::uint64_t left() const noexcept { return bytes_.size() - offset_; }

  // The next bytes; `what` names them in the error where the file ends before.
  std::span<const std::byte> take(std::uint64_t count, std::string_view what) {
    if (count > left())
      fail_gguf(*path_, {std::string(what), fmt::format("{} bytes at {} of {}", count, offset_, bytes_.size()),
                         "data inside the file", "the file is truncated: download or copy it again"});
    const auto taken = bytes_.subspan(offset_, count);
    offset_ += count;
    return taken;
  }

  template <typename Number>
  Number number(std::string_view what) {
    Number value;
    std::memcpy(&value, take(sizeof value, what).data(), sizeof value);
    return value;
  }

  // A length and as many bytes.
  std::string_view string(std::string_view what) {
    const auto bytes = take(number<std::uint64_t>(what), what);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

 private:
  std::span<const std::byte> bytes_;
  std::uint64_t offset_ = 0;
  const std::filesystem::path* path_;
};

}  // namespace ilt
