// Measures the packing of samples into micro-batches: rounds, balance, fill and time, beside InstructLab's packer.
#include "data/packing.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <vector>

#include "base/rng.h"

namespace {

using Lengths = std::vector<std::int64_t>;
using Rounds = std::vector<std::vector<std::int64_t>>;  // tokens of every rank in every round

constexpr int kSteps = 100;
constexpr std::size_t kSamplesAStep = 512;

struct Distribution {
  const char* name;
  std::function<double(ilt::SplitMix64&)> draw;
};

const Distribution kDistributions[] = {
    // Mean 400, the logarithm's deviation 0.8; by Box and Muller's transform.
    {"log-normal",
     [](ilt::SplitMix64& rng) {
       const double normal = std::sqrt(-2 * std::log(1 - rng.uniform())) * std::cos(6.283185307179586 * rng.uniform());
       return std::exp(std::log(400.0) - 0.8 * 0.8 / 2 + 0.8 * normal);
     }},
    {"uniform", [](ilt::SplitMix64& rng) { return static_cast<double>(20 + rng.below(981)); }},
};

Lengths draw(const Distribution& distribution, std::size_t count, std::int64_t budget, std::uint64_t seed) {
  ilt::SplitMix64 rng(seed);
  Lengths lengths(count);
  for (auto& length : lengths) length = std::clamp<std::int64_t>(std::llround(distribution.draw(rng)), 1, budget);
  return lengths;
}

Rounds pack(const Lengths& lengths, std::int64_t budget, int ranks) {
  Rounds rounds;
  for (const auto& round : ilt::plan_packing(lengths, budget, ranks).rounds) {
    auto& loads = rounds.emplace_back();
    for (const auto& items : round) {
      loads.push_back(std::accumulate(items.begin(), items.end(), std::int64_t{0},
                                      [&](auto sum, auto i) { return sum + lengths[static_cast<std::size_t>(i)]; }));
    }
  }
  return rounds;
}

// InstructLab's: round by round the longest samples left, as many as fit when each goes to the emptiest rank.
Rounds pack_like_instructlab(Lengths lengths, std::int64_t budget, int ranks) {
  std::sort(lengths.begin(), lengths.end(), std::greater<>());
  Rounds rounds;
  for (std::size_t first = 0; first < lengths.size();) {
    const auto assign = [&](std::size_t count) {
      std::vector<std::int64_t> heap(static_cast<std::size_t>(ranks), 0);
      for (std::size_t i = first; i < first + count; ++i) {
        std::pop_heap(heap.begin(), heap.end(), std::greater<>());
        heap.back() += lengths[i];
        std::push_heap(heap.begin(), heap.end(), std::greater<>());
      }
      return heap;
    };
    std::size_t fits = 1, too_many = 1;
    for (std::int64_t sum = 0; first + too_many <= lengths.size(); ++too_many) {
      if ((sum += lengths[first + too_many - 1]) > budget * ranks) break;
    }
    while (too_many - fits > 1) {
      const std::size_t middle = (fits + too_many) / 2;
      const auto loads = assign(middle);
      (*std::max_element(loads.begin(), loads.end()) <= budget ? fits : too_many) = middle;
    }
    rounds.push_back(assign(fits));
    first += fits;
  }
  return rounds;
}

struct Summary {
  int fewest = 0;  // steps with as few rounds as their tokens allow
  std::int64_t worst_excess = 0;
  double balance = 0, least_balance = 1, fill = 0;

  void add(const Rounds& rounds, std::int64_t total, std::int64_t budget, int ranks) {
    const auto count = static_cast<std::int64_t>(rounds.size());
    const std::int64_t excess = count - (total + budget * ranks - 1) / (budget * ranks);
    std::int64_t waited = 0;
    for (const auto& loads : rounds) waited += *std::max_element(loads.begin(), loads.end());
    const double this_balance = static_cast<double>(total) / static_cast<double>(waited * ranks);
    fewest += excess == 0;
    worst_excess = std::max(worst_excess, excess);
    balance += this_balance / kSteps;
    least_balance = std::min(least_balance, this_balance);
    fill += static_cast<double>(total) / static_cast<double>(count * ranks * budget) / kSteps;
  }

  void print() const {
    fmt::print(" {} % | {} | {:.4f} | {:.4f} | {:.3f} |", fewest * 100 / kSteps, worst_excess, balance, least_balance,
               fill);
  }
};

void measure_quality() {
  fmt::print("{} steps of {} samples\n\n", kSteps, kSamplesAStep);
  const char* columns = "fewest | worst | balance | least | fill |";
  fmt::print("| lengths | budget | ranks | {} InstructLab: {}\n", columns, columns);
  fmt::print("|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const auto& distribution : kDistributions) {
    for (const std::int64_t budget : {2048, 8192, 32768}) {
      for (const int ranks : {1, 2, 8}) {
        Summary ours, theirs;
        for (std::uint64_t seed = 0; seed < kSteps; ++seed) {
          const auto lengths = draw(distribution, kSamplesAStep, budget, seed);
          const auto total = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
          ours.add(pack(lengths, budget, ranks), total, budget, ranks);
          theirs.add(pack_like_instructlab(lengths, budget, ranks), total, budget, ranks);
        }
        fmt::print("| {} | {} | {} |", distribution.name, budget, ranks);
        ours.print();
        theirs.print();
        fmt::print("\n");
      }
    }
  }
}

void measure_time() {
  constexpr std::size_t kSamples = 100000;
  constexpr int kRuns = 7;
  fmt::print("\nMilliseconds to plan {} samples, of {} runs\n\n", kSamples, kRuns);
  fmt::print("| lengths | budget | ranks | min | median | max |\n|---|---|---|---|---|---|\n");
  for (const auto& distribution : kDistributions) {
    for (const std::int64_t budget : {2048, 8192, 32768}) {
      for (const int ranks : {1, 8}) {
        const auto lengths = draw(distribution, kSamples, budget, 1);
        std::vector<double> times;
        for (int run = 0; run < kRuns; ++run) {
          const auto start = std::chrono::steady_clock::now();
          const auto plan = ilt::plan_packing(lengths, budget, ranks);
          times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
          if (plan.rounds.empty()) fmt::print("no plan\n");  // keeps the call
        }
        std::sort(times.begin(), times.end());
        fmt::print("| {} | {} | {} | {:.0f} | {:.0f} | {:.0f} |\n", distribution.name, budget, ranks, times.front(),
                   times[kRuns / 2], times.back());
      }
    }
  }
}

}  // namespace

int main() {
  measure_quality();
  measure_time();
}
