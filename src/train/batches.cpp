// The micro-batches of one optimizer step.
#include "train/batches.h"

#include <algorithm>
#include <functional>

#include "base/rng.h"
#include "data/packing.h"

namespace ilt {

namespace {

// Segments of a sample know nothing of each other.
void add_sample(MicroBatchBuilder& builder, const Corpus& data, std::int64_t index) {
  const SampleView sample = data.at(index);
  const std::vector<std::int32_t> labels = labels_of(sample);
  std::size_t begin = 0;
  for (const std::int64_t length : data.segments(index)) {
    const auto count = static_cast<std::size_t>(length);
    const std::uint64_t key = SplitMix64(static_cast<std::uint64_t>(index)).next() + begin;
    builder.add(sample.ids.subspan(begin, count), std::span(labels).subspan(begin, count), {}, key);
    begin += count;
  }
}

}  // namespace

std::vector<MicroBatch> make_batches(const Corpus& data, std::span<const std::int64_t> samples, std::int64_t budget,
                                     at::Device device) {
  std::vector<std::int64_t> lengths;
  std::vector<std::int64_t> packed;
  std::vector<MicroBatch> batches;
  for (const std::int64_t s : samples) {
    if (data.length(s) > budget) {
      MicroBatchBuilder alone;
      add_sample(alone, data, s);
      batches.push_back(alone.build(device));
    } else {
      packed.push_back(s);
      lengths.push_back(data.length(s));
    }
  }
  const PackingPlan plan = plan_packing(lengths, budget, /*ranks=*/1);
  for (const auto& round : plan.rounds) {
    MicroBatchBuilder builder;
    for (const std::int64_t position : round[0]) {
      add_sample(builder, data, packed[static_cast<std::size_t>(position)]);
    }
    batches.push_back(builder.build(device));
  }
  return batches;
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
