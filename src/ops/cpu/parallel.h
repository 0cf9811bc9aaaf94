// Spreads kernel calls over libtorch's threads. Which thread does what never changes a result.
#pragma once

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ilt::ops::cpu {

// f(begin, end) over rows; each thread gets at least about 16 k values.
template <typename F>
void over_rows(std::int64_t rows, std::int64_t values_per_row, const F& f) {
  const std::int64_t grain = std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, values_per_row));
  at::parallel_for(0, rows, grain, f);
}

// f(task) for tasks of unequal cost: the costliest first, each to the thread with the least to do so far.
template <typename F>
void over_tasks(const std::vector<std::int64_t>& costs, const F& f) {
  std::vector<std::size_t> order(costs.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return costs[a] > costs[b]; });
  const auto threads = static_cast<std::size_t>(std::max(1, at::get_num_threads()));
  std::vector<std::vector<std::size_t>> lists(std::min(threads, std::max<std::size_t>(1, costs.size())));
  std::vector<std::int64_t> load(lists.size(), 0);
  for (const std::size_t task : order) {
    const auto least = std::min_element(load.begin(), load.end()) - load.begin();
    lists[static_cast<std::size_t>(least)].push_back(task);
    load[static_cast<std::size_t>(least)] += costs[task];
  }
  at::parallel_for(0, static_cast<std::int64_t>(lists.size()), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      for (const std::size_t task : lists[static_cast<std::size_t>(i)]) f(task);
  });
}

}  // namespace ilt::ops::cpu
