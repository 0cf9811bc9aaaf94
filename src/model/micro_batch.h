// A micro-batch: packed samples, one after another without padding, and what is to be learnt from them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ops/tensor.h"

namespace ilt {

struct MicroBatch {
  at::Tensor ids;                    // int64 [tokens]
  std::vector<std::int64_t> starts;  // sample i is tokens [starts[i], starts[i + 1])
  std::vector<std::uint64_t> keys;   // of each sample, the same wherever it is packed: the seed of its noise
  // Position rows[i] predicts targets[i], and counts weights[i].
  at::Tensor rows;     // int64 [targets]
  at::Tensor targets;  // int64 [targets]
  at::Tensor weights;  // [targets]

  std::int64_t tokens() const { return ids.size(0); }
  std::int64_t target_count() const { return rows.size(0); }
};

// Builds a micro-batch sample by sample.
class MicroBatchBuilder {
 public:
  // labels: Hugging Face's convention (unshifted, negative = not learnt); the first label of a sample never counts.
  // weights: one a token, that of the token as a target; empty means 1.
  void add(std::span<const std::int32_t> ids, std::span<const std::int32_t> labels, std::span<const float> weights = {},
           std::uint64_t key = 0);
  MicroBatch build(at::Device device) const;

 private:
  std::vector<std::int64_t> ids_, starts_ = {0}, rows_, targets_;
  std::vector<float> weights_;
  std::vector<std::uint64_t> keys_;
};

}  // namespace ilt
