// Checking what a host gives, and keeping it sample after sample.
#include "train/host_batch.h"

#include <cmath>

#include "base/error.h"
#include "data/dataset.h"

namespace ilt {
namespace {

template <typename T>
[[noreturn]] void refuse(const char* what, std::size_t position, T got, const std::string& expected) {
  throw Error(Status::invalid_argument, fmt::format("{} {} at position {}: expected {}", what, got, position, expected),
              {{"position", position}, {"got", got}});
}

void check(std::span<const std::int32_t> ids, std::span<const std::int32_t> labels, std::span<const float> weights) {
  if (ids.empty()) fail(Status::invalid_argument, "a sample without tokens: give at least one id");
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (ids[i] < 0) refuse("token id", i, ids[i], "0 or more");
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] < 0 && labels[i] != ignored_label) refuse("label", i, labels[i], "a token id, or -100 (not learnt)");
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (!std::isfinite(weights[i])) refuse("weight", i, std::to_string(weights[i]), "a finite number");
}

void check_row(const char* what, std::size_t position, std::int32_t got, std::int64_t vocab) {
  if (got >= vocab) refuse(what, position, got, fmt::format("less than the model's vocabulary of {}", vocab));
}

}  // namespace

void HostBatch::add(std::span<const std::int32_t> ids, std::span<const std::int32_t> labels,
                    std::span<const float> weights) {
  check(ids, labels, weights);
  const std::span<const std::int32_t> targets = labels.empty() ? ids : labels;
  const std::size_t samples = starts_.size() - 1;
  const std::size_t tokens = ids_.size();
  try {
    ids_.insert(ids_.end(), ids.begin(), ids.end());
    labels_.insert(labels_.end(), targets.begin(), targets.end());
    if (weights.empty())
      weights_.resize(weights_.size() + ids.size(), 1.0F);
    else
      weights_.insert(weights_.end(), weights.begin(), weights.end());
    starts_.push_back(ids_.size());
  } catch (...) {
    truncate(samples, tokens);
    throw;
  }
}

void HostBatch::clear() noexcept {
  truncate(0, 0);
}

void HostBatch::truncate(std::size_t samples, std::size_t tokens) noexcept {
  ids_.resize(tokens);
  labels_.resize(tokens);
  weights_.resize(tokens);
  starts_.resize(samples + 1);
}

HostBatch::Sample HostBatch::at(std::int64_t index) const {
  const auto i = static_cast<std::size_t>(index);
  const std::size_t begin = starts_[i];
  const std::size_t count = starts_[i + 1] - begin;
  return {std::span(ids_).subspan(begin, count), std::span(labels_).subspan(begin, count),
          std::span(weights_).subspan(begin, count)};
}

void HostBatch::require_within(std::int64_t vocab) const {
  for (std::int64_t s = 0; s < size(); ++s) {
    const Sample sample = at(s);
    for (std::size_t i = 0; i < sample.ids.size(); ++i) {
      check_row("token id", i, sample.ids[i], vocab);
      check_row("label", i, sample.labels[i], vocab);
    }
  }
}

}  // namespace ilt
