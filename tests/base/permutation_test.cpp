// Random orders without memory: every place once, the same for the same seed, and no order that is easy to see.
#include "base/permutation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace ilt {
namespace {

TEST(Permutation, TakesEveryPlaceOnce) {
  for (const std::int64_t n : {1, 2, 3, 4, 5, 7, 16, 17, 100, 1000, 4096, 4097}) {
    const Permutation order(n, 7);
    std::vector<int> seen(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) ++seen.at(static_cast<std::size_t>(order(i)));
    EXPECT_EQ(seen, std::vector<int>(static_cast<std::size_t>(n), 1)) << n;
  }
}

TEST(Permutation, IsAFunctionOfSizeAndSeed) {
  const Permutation a(1000, 1);
  const Permutation b(1000, 1);
  const Permutation c(1000, 2);
  int same = 0;
  for (std::int64_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(a(i), b(i));
    same += a(i) == c(i);
  }
  EXPECT_LT(same, 10);
}

// Rank correlation of place and value, and of neighbours: both would be 0 for random orders, with deviations of
// 1 / sqrt(n).
TEST(Permutation, ShowsNoOrder) {
  constexpr std::int64_t n = 10000;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Permutation order(n, seed);
    double with_place = 0;
    double with_next = 0;
    const auto centred = [](std::int64_t i) { return (static_cast<double>(i) - (n - 1) / 2.0) / n; };
    for (std::int64_t i = 0; i < n; ++i) {
      with_place += centred(i) * centred(order(i));
      if (i > 0) with_next += centred(order(i - 1)) * centred(order(i));
    }
    constexpr double variance = n / 12.0;
    EXPECT_LT(std::abs(with_place / variance), 0.05) << seed;
    EXPECT_LT(std::abs(with_next / variance), 0.05) << seed;
  }
}

}  // namespace
}  // namespace ilt
