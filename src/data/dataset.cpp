// The samples, end to end in two arrays.
#include "data/dataset.h"

#include <algorithm>

#include "base/error.h"

namespace ilt {

SampleView Dataset::at(std::int64_t index) const {
  if (index < 0 || index >= size()) {
    fail(Status::invalid_argument, "there is no sample {}: the data set has {}", index, size());
  }
  const std::size_t begin = begin_[static_cast<std::size_t>(index)];
  const std::size_t length = begin_[static_cast<std::size_t>(index) + 1] - begin;
  return {std::span(ids_).subspan(begin, length), std::span(labels_).subspan(begin, length)};
}

std::int64_t Dataset::length(std::int64_t index) const {
  return static_cast<std::int64_t>(at(index).ids.size());
}

std::int64_t Dataset::supervised(std::int64_t index) const {
  const auto labels = at(index).labels;
  if (labels.empty()) return 0;
  return std::count_if(labels.begin() + 1, labels.end(), [](std::int32_t label) { return label != ignored_label; });
}

void Dataset::add(std::span<const std::int32_t> ids, std::span<const std::int32_t> labels) {
  if (ids.size() != labels.size()) {
    fail(Status::invalid_argument, "a sample has {} ids but {} labels", ids.size(), labels.size());
  }
  ids_.insert(ids_.end(), ids.begin(), ids.end());
  labels_.insert(labels_.end(), labels.begin(), labels.end());
  begin_.push_back(ids_.size());
}

}  // namespace ilt
