// The micro-batches of one optimizer step: its samples, packed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/corpus.h"
#include "model/micro_batch.h"
#include "train/host_batch.h"

namespace ilt {

// Packs the samples into micro-batches of at most `budget` tokens each; a sample longer than that has one of its own.
std::vector<MicroBatch> make_batches(const Corpus& data, std::span<const std::int64_t> samples, std::int64_t budget,
                                     at::Device device);
// The same of a host's samples; `first` is the number of the first among those of its optimizer step.
std::vector<MicroBatch> make_batches(const HostBatch& batch, std::int64_t first, std::int64_t budget,
                                     at::Device device);

// The most tokens that a micro-batch of any step can have: what activations are allocated for. A budget larger than
// the data can fill costs nothing.
std::int64_t largest_batch(const Corpus& data, std::int64_t samples_a_step, std::int64_t budget);

}  // namespace ilt
