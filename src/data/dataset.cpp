// Samples end to end, in memory or in a mapped file.
#include "data/dataset.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/hash.h"
#include "data/processed_file.h"

namespace ilt {

struct Dataset::Mapping {
  ProcessedFile file;
};

Dataset::Dataset() = default;
Dataset::Dataset(Dataset&&) noexcept = default;
Dataset& Dataset::operator=(Dataset&&) noexcept = default;
Dataset::~Dataset() = default;

Dataset Dataset::open(const std::filesystem::path& path) {
  Dataset dataset;
  auto mapping = std::make_unique<Mapping>(Mapping{ProcessedFile(path)});
  dataset.report = mapping->file.report();
  dataset.origin = mapping->file.origin();
  dataset.mapping_ = std::move(mapping);
  return dataset;
}

std::vector<std::int32_t> labels_of(const SampleView& sample) {
  std::vector<std::int32_t> labels(sample.ids.begin(), sample.ids.end());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (sample.supervised[i] == 0) labels[i] = ignored_label;
  }
  return labels;
}

std::span<const std::int32_t> Dataset::ids() const noexcept {
  return mapping_ ? mapping_->file.ids() : std::span<const std::int32_t>(ids_);
}

std::span<const std::uint8_t> Dataset::supervised_flags() const noexcept {
  return mapping_ ? mapping_->file.supervised() : std::span<const std::uint8_t>(supervised_);
}

std::size_t Dataset::stored_size() const noexcept {
  return mapping_ ? mapping_->file.size() : ends_.size();
}

std::uint64_t Dataset::stored_end(std::size_t i) const noexcept {
  return mapping_ ? mapping_->file.sample_end(i) : ends_[i];
}

std::int64_t Dataset::size() const noexcept {
  const std::size_t count = block_ == 0 ? stored_size() : (ids().size() + block_ - 1) / block_;
  return static_cast<std::int64_t>(count);
}

std::pair<std::size_t, std::size_t> Dataset::range(std::int64_t index) const {
  if (index < 0 || index >= size()) {
    fail(Status::invalid_argument, "there is no sample {}: the data set has {}", index, size());
  }
  const auto i = static_cast<std::size_t>(index);
  if (block_ != 0) return {i * block_, std::min((i + 1) * block_, ids().size())};
  return {i == 0 ? 0 : stored_end(i - 1), stored_end(i)};
}

SampleView Dataset::at(std::int64_t index) const {
  const auto [begin, end] = range(index);
  return {ids().subspan(begin, end - begin), supervised_flags().subspan(begin, end - begin)};
}

std::int64_t Dataset::length(std::int64_t index) const {
  const auto [begin, end] = range(index);
  return static_cast<std::int64_t>(end - begin);
}

std::vector<std::int64_t> Dataset::segments(std::int64_t index) const {
  auto [begin, end] = range(index);
  std::vector<std::int64_t> lengths;
  if (block_ != 0) {
    // The first stored sample that ends past the block's beginning.
    std::size_t first = 0;
    for (std::size_t count = stored_size(); count > 0;) {
      const std::size_t half = count / 2;
      const bool before = stored_end(first + half) <= begin;
      if (before) first += half + 1;
      count = before ? count - half - 1 : half;
    }
    for (; begin < end; ++first) {
      const std::size_t stop = std::min<std::size_t>(stored_end(first), end);
      lengths.push_back(static_cast<std::int64_t>(stop - begin));
      begin = stop;
    }
    return lengths;
  }
  lengths.push_back(static_cast<std::int64_t>(end - begin));
  return lengths;
}

std::int64_t Dataset::supervised(std::int64_t index) const {
  const auto flags = at(index).supervised;
  std::int64_t count = 0;
  std::size_t begin = 0;
  for (const std::int64_t length : segments(index)) {
    const auto part = flags.subspan(begin, static_cast<std::size_t>(length));
    count += std::accumulate(part.begin() + 1, part.end(), std::int64_t{0});
    begin += part.size();
  }
  return count;
}

std::string Dataset::fingerprint() const {
  const auto bytes = [](const auto& values) { return std::as_bytes(std::span(values)); };
  const std::string samples = mapping_ ? mapping_->file.checksums()
                                       : hash_of(bytes(ids_)) + hash_of(bytes(supervised_)) + hash_of(bytes(ends_));
  return hash_of(samples + std::to_string(block_));
}

void Dataset::add(std::span<const std::int32_t> ids, std::span<const std::int32_t> labels) {
  if (mapping_ || block_ != 0) fail(Status::invalid_state, "samples are added to data sets in memory only");
  if (ids.size() != labels.size()) {
    fail(Status::invalid_argument, "a sample has {} ids but {} labels", ids.size(), labels.size());
  }
  if (ids.empty()) fail(Status::invalid_argument, "a sample has no tokens");
  ids_.insert(ids_.end(), ids.begin(), ids.end());
  for (const std::int32_t label : labels) supervised_.push_back(label != ignored_label ? 1 : 0);
  ends_.push_back(ids_.size());
}

void Dataset::cut_into_blocks(std::int64_t tokens) {
  if (tokens < 2) fail(Status::invalid_argument, "blocks of {} tokens have nothing to learn; at least 2", tokens);
  block_ = static_cast<std::size_t>(tokens);
}

}  // namespace ilt
