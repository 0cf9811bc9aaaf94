// Statistics from the samples' lengths; packing by the packer itself.
#include "data/stats.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "base/permutation.h"
#include "data/packing.h"

namespace ilt {
namespace {

using Lengths = std::vector<std::int64_t>;

Json describe_lengths(Lengths lengths) {
  if (lengths.empty()) return Json::object();
  std::sort(lengths.begin(), lengths.end());
  // The nearest rank.
  const auto percentile = [&](double p) {
    const double rank = std::ceil(p / 100 * static_cast<double>(lengths.size()));
    return lengths[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
  };
  Json histogram = Json::array();
  for (std::int64_t up_to = 16; histogram.empty() || up_to / 2 < lengths.back(); up_to *= 2) {
    const auto past = [&](std::int64_t n) { return std::upper_bound(lengths.begin(), lengths.end(), n); };
    const auto count = past(up_to) - (up_to == 16 ? lengths.begin() : past(up_to / 2));
    histogram.push_back({{"up_to", up_to}, {"samples", count}});
  }
  const auto total = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  return {{"min", lengths.front()}, {"p50", percentile(50)},
          {"p90", percentile(90)},  {"p99", percentile(99)},
          {"max", lengths.back()},  {"mean", static_cast<double>(total) / static_cast<double>(lengths.size())},
          {"histogram", histogram}};
}

Json describe_packing(const Lengths& lengths, const PackingQuestion& question) {
  const auto samples = static_cast<std::int64_t>(lengths.size());
  const auto longest = std::max_element(lengths.begin(), lengths.end());
  if (longest != lengths.end() && *longest > question.max_batch_len) {
    throw Error(Status::data,
                fmt::format("a sample of {} tokens does not fit a micro-batch of {}", *longest, question.max_batch_len),
                {{"key", "max_batch_len"}, {"got", question.max_batch_len}, {"expected", *longest}});
  }
  const Permutation order(samples, 0);
  std::int64_t steps = 0;
  std::int64_t rounds = 0;
  std::int64_t tokens = 0;
  std::int64_t fullest = 0;
  for (std::int64_t begin = 0; begin < samples; begin += question.samples_a_step, ++steps) {
    Lengths step;
    for (std::int64_t i = begin; i < std::min(begin + question.samples_a_step, samples); ++i) {
      step.push_back(lengths[static_cast<std::size_t>(order(i))]);
    }
    for (const auto& round : plan_packing(step, question.max_batch_len, question.ranks).rounds) {
      std::int64_t most = 0;
      for (const auto& bin : round) {
        std::int64_t load = 0;
        for (const std::int64_t i : bin) load += step[static_cast<std::size_t>(i)];
        most = std::max(most, load);
        tokens += load;
      }
      fullest += most;
      ++rounds;
    }
  }
  const auto share = [&](double whole) { return whole > 0 ? static_cast<double>(tokens) / whole : 0.0; };
  const auto places = static_cast<double>(question.ranks);
  return {{"max_batch_len", question.max_batch_len},
          {"samples_a_step", question.samples_a_step},
          {"ranks", question.ranks},
          {"steps", steps},
          {"micro_batches", rounds},
          {"fill", share(static_cast<double>(rounds) * places * static_cast<double>(question.max_batch_len))},
          {"balance", share(places * static_cast<double>(fullest))}};
}

}  // namespace

Json dataset_stats(const Dataset& dataset, const PackingQuestion& packing) {
  Json stats = to_json(dataset.report);
  Lengths lengths(static_cast<std::size_t>(dataset.size()));
  std::int64_t supervised = 0;
  for (std::int64_t i = 0; i < dataset.size(); ++i) {
    lengths[static_cast<std::size_t>(i)] = dataset.length(i);
    supervised += dataset.supervised(i);
  }
  stats["samples"] = dataset.size();
  stats["tokens"] = dataset.num_tokens();
  stats["supervised_tokens"] = supervised;
  stats["supervised_share"] =
      dataset.num_tokens() > 0 ? static_cast<double>(supervised) / static_cast<double>(dataset.num_tokens()) : 0.0;
  stats["lengths"] = describe_lengths(lengths);
  if (packing.max_batch_len > 0) stats["packing"] = describe_packing(lengths, packing);
  return stats;
}

}  // namespace ilt
