// Which samples an optimizer step takes: a pure function of the step, so that a run's place in its data is one number.
#pragma once

#include <cstdint>
#include <vector>

#include "data/corpus.h"

namespace ilt {

// The order knows nothing of ranks or micro-batches, and needs no memory: a run may begin at any step.
class Sampler {
 public:
  // batch_size samples a step; the last step of an epoch takes what is left. An epoch takes of each part as many
  // samples as its weight says: whole rounds of all of them, and of what is left a random choice that changes with the
  // epoch (without shuffle: an even choice, in order).
  Sampler(std::vector<Corpus::Part> parts, std::int64_t batch_size, bool shuffle, std::uint64_t seed);

  std::int64_t samples_per_epoch() const noexcept { return samples_; }
  std::int64_t steps_per_epoch() const noexcept { return steps_per_epoch_; }
  std::int64_t epoch_of(std::int64_t step) const noexcept { return step / steps_per_epoch_; }
  bool ends_epoch(std::int64_t step) const noexcept { return (step + 1) % steps_per_epoch_ == 0; }
  // Whether each epoch takes the same samples, in whatever order.
  bool epochs_are_alike() const noexcept;
  // Indices into the corpus of the step's samples; steps count from 0.
  std::vector<std::int64_t> step_samples(std::int64_t step) const;

 private:
  struct Share {
    Corpus::Part part;
    std::int64_t taken = 0;  // samples of it that an epoch takes, with repetition
  };
  std::int64_t sample_at(std::int64_t place, std::uint64_t epoch_seed) const;

  std::vector<Share> shares_;
  std::int64_t samples_ = 0, batch_size_, steps_per_epoch_ = 0;
  bool shuffle_;
  std::uint64_t seed_;
};

}  // namespace ilt
