// The order of samples: a permutation an epoch, from the seed and the epoch.
#include "train/sampler.h"

#include <algorithm>
#include <numeric>

#include "base/rng.h"

namespace ilt {

Sampler::Sampler(std::int64_t samples, std::int64_t batch_size, bool shuffle, std::uint64_t seed)
    : samples_(samples),
      batch_size_(std::min(batch_size, samples)),
      steps_per_epoch_((samples + batch_size_ - 1) / batch_size_),
      shuffle_(shuffle),
      seed_(seed) {}

std::vector<std::int64_t> Sampler::step_samples(std::int64_t step) {
  if (const std::int64_t epoch = epoch_of(step); epoch != epoch_) {
    if (shuffle_) {
      order_ = permutation(samples_, SplitMix64(seed_ + static_cast<std::uint64_t>(epoch)).next());
    } else {
      order_.resize(static_cast<std::size_t>(samples_));
      std::iota(order_.begin(), order_.end(), std::int64_t{0});
    }
    epoch_ = epoch;
  }
  const std::int64_t begin = step % steps_per_epoch_ * batch_size_;
  return {order_.begin() + begin, order_.begin() + std::min(begin + batch_size_, samples_)};
}

}  // namespace ilt
