// Which samples an optimizer step takes: a pure function of the step, so that its state is one number.
#pragma once

#include <cstdint>
#include <vector>

namespace ilt {

class Sampler {
 public:
  // batch_size samples a step; the last step of an epoch takes what is left.
  Sampler(std::int64_t samples, std::int64_t batch_size, bool shuffle, std::uint64_t seed);

  std::int64_t steps_per_epoch() const noexcept { return steps_per_epoch_; }
  std::int64_t epoch_of(std::int64_t step) const noexcept { return step / steps_per_epoch_; }
  bool ends_epoch(std::int64_t step) const noexcept { return (step + 1) % steps_per_epoch_ == 0; }
  // Sample indices of the step (from 0). Every sample occurs once an epoch.
  std::vector<std::int64_t> step_samples(std::int64_t step);

 private:
  std::int64_t samples_, batch_size_, steps_per_epoch_;
  bool shuffle_;
  std::uint64_t seed_;
  std::int64_t epoch_ = -1;
  std::vector<std::int64_t> order_;  // of epoch_
};

}  // namespace ilt
