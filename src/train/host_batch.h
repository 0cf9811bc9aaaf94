// A batch that a host makes for its own loop: samples of token ids with their labels and weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ilt {

class HostBatch {
 public:
  struct Sample {
    std::span<const std::int32_t> ids, labels;
    std::span<const float> weights;
  };

  // labels: those of Hugging Face (unshifted, -100 = not learnt); empty: the ids. weights: one a label; empty: 1.
  // Throws invalid_argument; the batch is then as before.
  void add(std::span<const std::int32_t> ids, std::span<const std::int32_t> labels, std::span<const float> weights);
  // Keeps the memory.
  void clear() noexcept;

  std::int64_t size() const noexcept { return static_cast<std::int64_t>(starts_.size()) - 1; }
  std::int64_t tokens() const noexcept { return static_cast<std::int64_t>(ids_.size()); }
  Sample at(std::int64_t index) const;
  // Throws invalid_argument where an id or a label has no row in a vocabulary of this size.
  void require_within(std::int64_t vocab) const;

 private:
  void truncate(std::size_t samples, std::size_t tokens) noexcept;

  std::vector<std::int32_t> ids_, labels_;
  std::vector<float> weights_;
  std::vector<std::size_t> starts_ = {0};  // sample i is tokens [starts_[i], starts_[i + 1])
};

}  // namespace ilt
