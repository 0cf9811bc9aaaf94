// The order of samples: permutations of an epoch's places, from the seed and the epoch.
#include "train/sampler.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/permutation.h"

namespace ilt {
namespace {

constexpr double most_samples = 1e15;  // of one part in an epoch: sums of them are far from overflow

}  // namespace

Sampler::Sampler(std::vector<Corpus::Part> parts, std::int64_t batch_size, bool shuffle, std::uint64_t seed)
    : batch_size_(batch_size), shuffle_(shuffle), seed_(seed) {
  for (const Corpus::Part& part : parts) {
    const double wanted = part.weight * static_cast<double>(part.count);
    if (!(wanted < most_samples))
      throw Error(
          Status::config,
          fmt::format("option 'data_weights': {} times {} samples are too many for an epoch", part.weight, part.count),
          {{"key", "data_weights"}, {"got", part.weight}});
    const auto taken = static_cast<std::int64_t>(std::llround(wanted));
    if (part.count > 0) shares_.push_back({part, std::max<std::int64_t>(taken, 1)});
  }
  for (const Share& share : shares_) samples_ += share.taken;
  if (samples_ == 0) fail(Status::data, "there is no sample to train on");
  batch_size_ = std::min(batch_size, samples_);
  steps_per_epoch_ = (samples_ + batch_size_ - 1) / batch_size_;
}

bool Sampler::epochs_are_alike() const noexcept {
  return !shuffle_ || std::all_of(shares_.begin(), shares_.end(),
                                  [](const Share& share) { return share.taken % share.part.count == 0; });
}

std::int64_t Sampler::sample_at(std::int64_t place, std::uint64_t epoch_seed) const {
  std::int64_t i = shuffle_ ? Permutation(samples_, epoch_seed)(place) : place;
  auto share = shares_.begin();
  for (; i >= share->taken; ++share) i -= share->taken;
  const auto [begin, count, weight] = share->part;
  const std::int64_t whole = share->taken / count * count;  // places of whole rounds
  if (i < whole) return begin + i % count;
  const std::int64_t left = i - whole;
  if (!shuffle_) return begin + left * count / (share->taken - whole);
  const auto number = static_cast<std::uint64_t>(share - shares_.begin());
  return begin + Permutation(count, epoch_seed + number + 1)(left);
}

std::vector<std::int64_t> Sampler::step_samples(std::int64_t step) const {
  const std::uint64_t epoch_seed = SplitMix64(seed_ + static_cast<std::uint64_t>(epoch_of(step))).next();
  const std::int64_t begin = step % steps_per_epoch_ * batch_size_;
  std::vector<std::int64_t> samples;
  for (std::int64_t place = begin; place < std::min(begin + batch_size_, samples_); ++place) {
    samples.push_back(sample_at(place, epoch_seed));
  }
  return samples;
}

}  // namespace ilt
