// The order of samples: every sample once an epoch, the same for the same seed, a pure function of the step.
#include "train/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.h"

namespace ilt {
namespace {

TEST(Sampler, EverySampleOnceAnEpoch) {
  for (const bool shuffle : {false, true}) {
    Sampler sampler({{0, 10}}, 4, shuffle, 1);
    ASSERT_EQ(sampler.steps_per_epoch(), 3);
    for (int epoch = 0; epoch < 3; ++epoch) {
      std::multiset<std::int64_t> seen;
      for (int i = 0; i < 3; ++i)
        for (const std::int64_t s : sampler.step_samples(epoch * 3 + i)) seen.insert(s);
      EXPECT_EQ(seen, (std::multiset<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    }
  }
}

TEST(Sampler, IsAPureFunctionOfTheStep) {
  Sampler forward({{0, 100}}, 7, true, 42);
  std::vector<std::vector<std::int64_t>> steps;
  for (int i = 0; i < 40; ++i) steps.push_back(forward.step_samples(i));
  for (int i = 39; i >= 0; --i)
    EXPECT_EQ(Sampler({{0, 100}}, 7, true, 42).step_samples(i), steps[static_cast<std::size_t>(i)]);
}

TEST(Sampler, EpochsAndSeedsDiffer) {
  Sampler a({{0, 100}}, 100, true, 1);
  EXPECT_NE(a.step_samples(0), a.step_samples(1));
  EXPECT_NE(a.step_samples(0), Sampler({{0, 100}}, 100, true, 2).step_samples(0));
}

TEST(Sampler, WithoutShufflingFollowsTheFiles) {
  EXPECT_EQ(Sampler({{0, 5}}, 2, false, 1).step_samples(1), (std::vector<std::int64_t>{2, 3}));
}

TEST(Sampler, BatchLargerThanTheDataTakesAll) {
  Sampler sampler({{0, 1}}, 8, true, 1);
  EXPECT_EQ(sampler.steps_per_epoch(), 1);
  EXPECT_EQ(sampler.step_samples(5), (std::vector<std::int64_t>{0}));
}

TEST(Sampler, TakesPartsByWeight) {
  const std::vector<Corpus::Part> parts = {{0, 10, 1.0}, {10, 10, 0.3}, {20, 4, 2.5}};
  for (const bool shuffle : {false, true}) {
    const Sampler sampler(parts, 23, shuffle, 9);
    ASSERT_EQ(sampler.samples_per_epoch(), 23);
    std::set<std::int64_t> of_the_second;
    for (int epoch = 0; epoch < 30; ++epoch) {
      std::multiset<std::int64_t> seen;
      for (const std::int64_t s : sampler.step_samples(epoch)) seen.insert(s);
      for (std::int64_t s = 0; s < 10; ++s) EXPECT_EQ(seen.count(s), 1);
      std::int64_t second = 0;
      for (std::int64_t s = 10; s < 20; ++s) {
        EXPECT_LE(seen.count(s), 1);
        second += static_cast<std::int64_t>(seen.count(s));
        if (seen.contains(s)) of_the_second.insert(s);
      }
      EXPECT_EQ(second, 3);
      for (std::int64_t s = 20; s < 24; ++s) EXPECT_TRUE(seen.count(s) == 2 || seen.count(s) == 3);
    }
    // Another choice in each epoch, so that all have their turn; without shuffling the same.
    EXPECT_EQ(of_the_second.size(), shuffle ? 10 : 3);
  }
}

TEST(Sampler, RefusesNothing) {
  EXPECT_THROW(Sampler({}, 1, true, 1), Error);
  EXPECT_THROW(Sampler({{0, 10, 1e300}}, 1, true, 1), Error);
}

}  // namespace
}  // namespace ilt
