// Packing: the samples of one optimizer step into micro-batches of at most a budget of tokens, without padding.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ilt {

// rounds[i][rank] lists positions in `lengths`; every rank has the same number of rounds, some perhaps empty.
struct PackingPlan {
  std::vector<std::vector<std::vector<std::int64_t>>> rounds;
};

// Deterministic, O(n log n). Every length must be in [1, budget]; ranks >= 1.
PackingPlan plan_packing(std::span<const std::int64_t> lengths, std::int64_t budget, int ranks);

}  // namespace ilt
