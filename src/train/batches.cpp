// The micro-batches of one optimizer step.
#include "train/batches.h"

#include <algorithm>
#include <functional>

#include "base/rng.h"
#include "data/packing.h"

namespace ilt {

namespace {

// The seed of a sample's noise: the same wherever it is packed.
std::uint64_t noise_key(std::int64_t index) {
  return SplitMix64(static_cast<std::uint64_t>(index)).next();
}

// Segments of a sample know nothing of each other.
void add_sample(MicroBatchBuilder& builder, const Corpus& data, std::int64_t index) {
  const SampleView sample = data.at(index);
  const std::vector<std::int32_t> labels = labels_of(sample);
  std::size_t begin = 0;
  for (const std::int64_t length : data.segments(index)) {
    const auto count = static_cast<std::size_t>(length);
    builder.add(sample.ids.subspan(begin, count), std::span(labels).subspan(begin, count), {},
                noise_key(index) + begin);
    begin += count;
  }
}

// Packs samples of these lengths; `add` adds the one at a position.
std::vector<MicroBatch> pack(std::span<const std::int64_t> lengths, std::int64_t budget, at::Device device,
                             const std::function<void(MicroBatchBuilder&, std::size_t)>& add) {
  std::vector<std::int64_t> packed_lengths;
  std::vector<std::size_t> packed;
  std::vector<MicroBatch> batches;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] > budget) {
      MicroBatchBuilder alone;
      add(alone, i);
      batches.push_back(alone.build(device));
    } else {
      packed.push_back(i);
      packed_lengths.push_back(lengths[i]);
    }
  }
  const PackingPlan plan = plan_packing(packed_lengths, budget, /*ranks=*/1);
  for (const auto& round : plan.rounds) {
    MicroBatchBuilder builder;
    for (const std::int64_t position : round[0]) add(builder, packed[static_cast<std::size_t>(position)]);
    batches.push_back(builder.build(device));
  }
  return batches;
}

}  // namespace

std::vector<MicroBatch> make_batches(const Corpus& data, std::span<const std::int64_t> samples, std::int64_t budget,
                                     at::Device device) {
  std::vector<std::int64_t> lengths;
  for (const std::int64_t s : samples) lengths.push_back(data.length(s));
  return pack(lengths, budget, device,
              [&](MicroBatchBuilder& builder, std::size_t i) { add_sample(builder, data, samples[i]); });
}

std::vector<MicroBatch> make_batches(const HostBatch& batch, std::int64_t first, std::int64_t budget,
                                     at::Device device) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t s = 0; s < batch.size(); ++s) lengths.push_back(static_cast<std::int64_t>(batch.at(s).ids.size()));
  return pack(lengths, budget, device, [&](MicroBatchBuilder& builder, std::size_t i) {
    const auto index = static_cast<std::int64_t>(i);
    const HostBatch::Sample sample = batch.at(index);
    builder.add(sample.ids, sample.labels, sample.weights, noise_key(first + index));
  });
}

std::int64_t largest_batch(const Corpus& data, std::int64_t samples_a_step, std::int64_t budget) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < data.size(); ++i) lengths.push_back(data.length(i));
  std::sort(lengths.begin(), lengths.end(), std::greater<>());
  const auto parts = data.parts();
  const bool repeats = std::any_of(parts.begin(), parts.end(), [](const auto& part) { return part.weight > 1; });
  std::int64_t total = 0;
  for (std::int64_t i = 0; i < samples_a_step && total < budget && (repeats || i < data.size()); ++i)
    total += lengths[repeats ? 0 : static_cast<std::size_t>(i)];
  return std::max(std::min(total, budget), lengths.front());
}

}  // namespace ilt
