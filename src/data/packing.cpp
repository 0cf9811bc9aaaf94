// Packing by two classic heuristics: longest first to the emptiest bin, which balances (LPT: Graham, Bounds on
// multiprocessing timing anomalies, 1969), and where that overflows, best fit decreasing, which needs about the fewest
// bins (Johnson and others, Worst-case performance bounds for simple one-dimensional packing algorithms, 1974).
#include "data/packing.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <queue>
#include <set>
#include <utility>

#include "base/error.h"

namespace ilt {
namespace {

struct Bin {
  std::int64_t load = 0;
  std::vector<std::int64_t> items;

  void put(std::int64_t item, std::int64_t length) {
    load += length;
    items.push_back(item);
  }
};
using Bins = std::vector<Bin>;
using Lengths = std::span<const std::int64_t>;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);  // a + b - 1 may not fit
}

std::vector<std::int64_t> longest_first(Lengths lengths) {
  std::vector<std::int64_t> order(lengths.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return lengths[a] > lengths[b]; });
  return order;
}

// Exactly `count` bins, each item to the emptiest; nothing where that one has no room.
std::optional<Bins> emptiest_bin(Lengths lengths, const std::vector<std::int64_t>& order, std::int64_t capacity,
                                 std::size_t count) {
  Bins bins(count);
  using Entry = std::pair<std::int64_t, std::size_t>;  // load, bin
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> emptiest;
  for (std::size_t i = 0; i < count; ++i) emptiest.emplace(0, i);
  for (const std::int64_t item : order) {
    const auto [load, bin] = emptiest.top();
    if (load + lengths[item] > capacity) return std::nullopt;
    emptiest.pop();
    bins[bin].put(item, lengths[item]);
    emptiest.emplace(bins[bin].load, bin);
  }
  return bins;
}

// Each item to the fullest bin that takes it, else to a new one.
Bins best_fit(Lengths lengths, const std::vector<std::int64_t>& order, std::int64_t capacity) {
  Bins bins;
  std::set<std::pair<std::int64_t, std::size_t>> by_room;
  for (const std::int64_t item : order) {
    std::size_t bin = bins.size();
    if (const auto fit = by_room.lower_bound({lengths[item], 0}); fit != by_room.end()) {
      bin = fit->second;
      by_room.erase(fit);
    } else {
      bins.emplace_back();
    }
    bins[bin].put(item, lengths[item]);
    by_room.emplace(capacity - bins[bin].load, bin);
  }
  return bins;
}

// Fullest bins first, so that the ranks of one round have about the same work.
PackingPlan to_rounds(Bins bins, std::size_t ranks) {
  bins.resize(
      static_cast<std::size_t>(ceil_div(static_cast<std::int64_t>(bins.size()), static_cast<std::int64_t>(ranks))) *
      ranks);
  std::stable_sort(bins.begin(), bins.end(), [](const Bin& a, const Bin& b) { return a.load > b.load; });
  PackingPlan plan;
  for (std::size_t first = 0; first < bins.size(); first += ranks) {
    auto& round = plan.rounds.emplace_back();
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      auto& items = round.emplace_back(std::move(bins[first + rank].items));
      std::sort(items.begin(), items.end());
    }
  }
  return plan;
}

void check(Lengths lengths, std::int64_t budget, int ranks) {
  if (ranks < 1) fail(Status::invalid_argument, "packing for {} ranks; there must be one at least", ranks);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] < 1 || lengths[i] > budget) {
      fail(Status::invalid_argument, "sample {} has {} tokens; packing takes 1 to {}", i, lengths[i], budget);
    }
  }
}

}  // namespace

PackingPlan plan_packing(std::span<const std::int64_t> lengths, std::int64_t budget, int ranks) {
  check(lengths, budget, ranks);
  if (lengths.empty()) return {};
  const auto order = longest_first(lengths);
  const auto width = static_cast<std::size_t>(ranks);
  const std::int64_t total = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  const std::int64_t fewest = ceil_div(ceil_div(total, ranks), budget);
  const auto balanced = [&](std::int64_t rounds) {
    return emptiest_bin(lengths, order, budget, static_cast<std::size_t>(rounds) * width);
  };
  if (auto bins = balanced(fewest)) return to_rounds(std::move(*bins), width);
  Bins packed = best_fit(lengths, order, budget);
  const std::int64_t rounds = ceil_div(static_cast<std::int64_t>(packed.size()), ranks);
  // Where more rounds are needed anyway, their room is better used for balance.
  if (rounds > fewest) {
    if (auto bins = balanced(rounds)) return to_rounds(std::move(*bins), width);
  }
  return to_rounds(std::move(packed), width);
}

}  // namespace ilt
