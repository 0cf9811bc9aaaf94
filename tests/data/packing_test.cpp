// Packing: properties over random lengths, and how well it fills.
#include "data/packing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/rng.h"

namespace ilt {
namespace {

// Log-normal lengths of a given mean, by Box and Muller's transform.
std::vector<std::int64_t> lengths(std::size_t count, double mean, double sigma, std::int64_t most, std::uint64_t seed) {
  SplitMix64 rng(seed);
  std::vector<std::int64_t> result;
  while (result.size() < count) {
    const double normal = std::sqrt(-2 * std::log(1 - rng.uniform())) * std::cos(6.283185307179586 * rng.uniform());
    const double length = std::exp(std::log(mean) - sigma * sigma / 2 + sigma * normal);
    result.push_back(std::clamp<std::int64_t>(std::llround(length), 1, most));
  }
  return result;
}

std::int64_t load(const std::vector<std::int64_t>& items, const std::vector<std::int64_t>& all) {
  return std::accumulate(items.begin(), items.end(), std::int64_t{0},
                         [&](auto sum, auto i) { return sum + all[static_cast<std::size_t>(i)]; });
}

struct Quality {
  double fill;  // tokens / (ranks x sum over rounds of the fullest rank)
  bool least_rounds;
};

Quality quality(const std::vector<std::int64_t>& all, std::int64_t budget, int ranks) {
  const auto plan = plan_packing(all, budget, ranks);
  std::int64_t waited = 0;
  for (const auto& round : plan.rounds) {
    std::int64_t fullest = 0;
    for (const auto& items : round) fullest = std::max(fullest, load(items, all));
    waited += fullest;
  }
  const auto total = std::accumulate(all.begin(), all.end(), std::int64_t{0});
  const auto least = static_cast<std::size_t>((total + budget * ranks - 1) / (budget * ranks));
  return {static_cast<double>(total) / static_cast<double>(waited * ranks), plan.rounds.size() == least};
}

TEST(Packing, PacksEverySampleOnceWithinTheBudget) {
  SplitMix64 rng(7);
  for (int trial = 0; trial < 300; ++trial) {
    const auto count = static_cast<std::size_t>(rng.below(200));
    const auto budget = static_cast<std::int64_t>(1 + rng.below(5000));
    const int ranks = static_cast<int>(1 + rng.below(9));
    const auto all = lengths(count, 300, 1.0, budget, rng.next());
    const auto plan = plan_packing(all, budget, ranks);
    std::vector<int> seen(count);
    for (const auto& round : plan.rounds) {
      ASSERT_EQ(round.size(), static_cast<std::size_t>(ranks));
      for (const auto& items : round) {
        ASSERT_LE(load(items, all), budget);
        for (const auto item : items) ++seen[static_cast<std::size_t>(item)];
      }
      ASSERT_FALSE(std::all_of(round.begin(), round.end(), [](const auto& items) { return items.empty(); }));
    }
    ASSERT_TRUE(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }));
    ASSERT_EQ(plan.rounds, plan_packing(all, budget, ranks).rounds);
  }
}

TEST(Packing, FillsAndBalances) {
  for (const std::int64_t budget : {8192, 32768}) {
    double sum = 0;
    for (const int ranks : {1, 2, 4, 8}) {
      for (std::uint64_t seed = 0; seed < 25; ++seed)
        sum += quality(lengths(512, 400, 0.8, budget, seed), budget, ranks).fill;
    }
    RecordProperty("fill_" + std::to_string(budget), std::to_string(sum / 100));
    std::printf("budget %d: fill %.4f\n", static_cast<int>(budget), sum / 100);
    EXPECT_GE(sum / 100, 0.99);
  }
}

TEST(Packing, NeedsTheLeastRoundsMostly) {
  int least = 0;
  for (const int ranks : {1, 2, 4, 8}) {
    for (std::uint64_t seed = 0; seed < 25; ++seed)
      least += quality(lengths(512, 400, 0.8, 2048, seed), 2048, ranks).least_rounds;
  }
  std::printf("budget 2048: least rounds in %d of 100\n", least);
  EXPECT_GE(least, 75);
}

TEST(Packing, ServesFewAndNoSamples) {
  EXPECT_TRUE(plan_packing({}, 10, 4).rounds.empty());
  const std::vector<std::int64_t> one = {10};
  EXPECT_EQ(plan_packing(one, 10, 3).rounds.size(), 1U);
  const std::vector<std::int64_t> full = {10, 10, 10};
  EXPECT_EQ(plan_packing(full, 10, 2).rounds.size(), 2U);
}

TEST(Packing, RefusesWhatDoesNotFit) {
  const std::vector<std::int64_t> bad = {11};
  const std::vector<std::int64_t> empty = {0};
  EXPECT_THROW(plan_packing(bad, 10, 1), Error);
  EXPECT_THROW(plan_packing(empty, 10, 1), Error);
  EXPECT_THROW(plan_packing(bad, 20, 0), Error);
}

}  // namespace
}  // namespace ilt
