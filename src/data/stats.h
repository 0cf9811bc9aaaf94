// Numbers about a data set: lengths, what is learnt, and how full micro-batches would be.
#pragma once

#include <cstdint>

#include "base/json.h"
#include "data/dataset.h"

namespace ilt {

struct PackingQuestion {
  std::int64_t max_batch_len = 0;  // 0: not asked
  std::int64_t samples_a_step = 0;
  int ranks = 1;
};

// The report's counts (see DataReport) and: lengths {min, p50, p90, p99, max, mean, histogram: [{up_to, samples}]},
// supervised_share, and where asked packing {steps, micro_batches, fill, balance} over one shuffled epoch.
Json dataset_stats(const Dataset& dataset, const PackingQuestion& packing);

}  // namespace ilt
