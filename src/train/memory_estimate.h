// How much of the host's memory training takes, told without taking it.
#pragma once

#include <cstdint>

#include "config/config.h"

namespace ilt {

// In bytes.
struct MemoryEstimate {
  std::int64_t weights = 0;
  std::int64_t gradients = 0;
  std::int64_t optimizer = 0;
  std::int64_t activations = 0;  // of a micro-batch of `tokens`
  std::int64_t loss = 0;         // logits of a piece of its targets, and what goes with them
  std::int64_t tokens = 0;       // max_batch_len

  std::int64_t total() const noexcept { return weights + gradients + optimizer + activations + loss; }
};

// Builds all that training allocates, on a device that has shapes but no memory. Reads no weights. Throws config, and
// what reading the model's configuration throws.
MemoryEstimate estimate_memory(const Config& config);

}  // namespace ilt
