// Data sets end to end, perhaps without some of their samples.
#include "data/corpus.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/hash.h"
#include "base/permutation.h"

namespace ilt {

void Corpus::add(std::shared_ptr<const Dataset> dataset, double weight) {
  sources_.push_back({std::move(dataset), weight, 0, std::nullopt});
  count_samples();
}

void Corpus::count_samples() {
  size_ = 0;
  for (Source& source : sources_) {
    source.begin = size_;
    size_ += source.count();
  }
}

std::vector<Corpus::Part> Corpus::parts() const {
  std::vector<Part> parts;
  std::int64_t begin = 0;
  for (const Source& source : sources_) {
    parts.push_back({begin, source.count(), source.weight});
    begin += source.count();
  }
  return parts;
}

Corpus::Place Corpus::find(std::int64_t index) const {
  if (index < 0 || index >= size_) fail(Status::invalid_argument, "there is no sample {}: there are {}", index, size_);
  const auto after = std::upper_bound(sources_.begin(), sources_.end(), index,
                                      [](std::int64_t i, const Source& source) { return i < source.begin; });
  const Source& source = *(after - 1);
  return {*source.dataset, source.sample(index - source.begin)};
}

SampleView Corpus::at(std::int64_t index) const {
  const Place place = find(index);
  return place.dataset.at(place.index);
}

std::int64_t Corpus::length(std::int64_t index) const {
  const Place place = find(index);
  return place.dataset.length(place.index);
}

std::vector<std::int64_t> Corpus::segments(std::int64_t index) const {
  const Place place = find(index);
  return place.dataset.segments(place.index);
}

std::int64_t Corpus::num_tokens() const {
  std::int64_t tokens = 0;
  for (std::int64_t i = 0; i < size_; ++i) tokens += length(i);
  return tokens;
}

std::string Corpus::fingerprint() const {
  std::string all;
  for (const Source& source : sources_) {
    all += source.dataset->fingerprint();
    if (source.chosen) all += hash_of(std::as_bytes(std::span(*source.chosen)));
  }
  return hash_of(all);
}

std::int64_t Corpus::drop_longer(std::int64_t tokens) {
  const std::int64_t before = size_;
  for (Source& source : sources_) {
    std::vector<std::int64_t> kept;
    for (std::int64_t i = 0; i < source.count(); ++i) {
      if (source.dataset->length(source.sample(i)) <= tokens) kept.push_back(source.sample(i));
    }
    if (static_cast<std::int64_t>(kept.size()) < source.count()) source.chosen = std::move(kept);
  }
  count_samples();
  return before - size_;
}

Corpus Corpus::hold_out(double fraction, std::uint64_t seed) {
  Corpus held_out;
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    Source& source = sources_[s];
    const std::int64_t count = source.count();
    const auto share = static_cast<std::int64_t>(std::llround(fraction * static_cast<double>(count)));
    const std::int64_t wanted = std::min(count, std::max<std::int64_t>(share, held_out.sources_.empty() ? 1 : 0));
    if (count == 0) continue;
    const Permutation order(count, SplitMix64(seed ^ 0x76616c6964617465ULL).next() + s);  // not the order of training
    std::vector<bool> out(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < wanted; ++i) out[static_cast<std::size_t>(order(i))] = true;
    std::vector<std::int64_t> kept;
    std::vector<std::int64_t> taken;
    for (std::int64_t i = 0; i < count; ++i)
      (out[static_cast<std::size_t>(i)] ? taken : kept).push_back(source.sample(i));
    held_out.sources_.push_back({source.dataset, 1, 0, std::move(taken)});
    source.chosen = std::move(kept);
  }
  count_samples();
  held_out.count_samples();
  return held_out;
}

}  // namespace ilt
