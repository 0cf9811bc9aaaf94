// Random orders of 0 ... n-1 that need no memory: any place can be asked for at any time.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "base/rng.h"

namespace ilt {

// A permutation of 0 ... n-1, a pure function of n and seed: a Feistel network over the next power of four, with
// cycle-walking for what lies beyond n (Black and Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002).
class Permutation {
 public:
  Permutation(std::int64_t n, std::uint64_t seed) noexcept : n_(static_cast<std::uint64_t>(n)) {
    half_bits_ = n_ <= 4 ? 1 : (static_cast<int>(std::bit_width(n_ - 1)) + 1) / 2;
    SplitMix64 rng(seed);
    for (std::uint64_t& key : keys_) key = rng.next();
  }

  std::int64_t operator()(std::int64_t place) const noexcept {
    auto value = static_cast<std::uint64_t>(place);
    do value = shuffle_bits(value);
    while (value >= n_);
    return static_cast<std::int64_t>(value);
  }

 private:
  std::uint64_t shuffle_bits(std::uint64_t value) const noexcept {
    const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
    std::uint64_t left = value >> half_bits_;
    std::uint64_t right = value & mask;
    for (const std::uint64_t key : keys_) {
      const std::uint64_t mixed = left ^ (SplitMix64(right ^ key).next() & mask);
      left = right;
      right = mixed;
    }
    return left << half_bits_ | right;
  }

  std::uint64_t n_;
  int half_bits_;
  std::array<std::uint64_t, 8> keys_{};
};

}  // namespace ilt
