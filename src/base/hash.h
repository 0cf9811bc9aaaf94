// Fingerprints of bytes: XXH3 with 128 bits (Yann Collet's xxHash). They find accidents, not attacks.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace ilt {

class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;

  void add(std::span<const std::byte> bytes);
  // Of all bytes so far, as 32 hexadecimal digits.
  std::string hex() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string hash_of(std::span<const std::byte> bytes);
std::string hash_of(std::string_view text);

}  // namespace ilt
