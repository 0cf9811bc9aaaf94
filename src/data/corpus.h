// The data of a run: one or more data sets addressed as one, each with the share of it that an epoch takes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "data/dataset.h"

namespace ilt {

class Corpus {
 public:
  struct Part {
    std::int64_t begin = 0;  // its samples are begin ... begin + count - 1
    std::int64_t count = 0;
    double weight = 1;  // how often an epoch takes each of them: 1 once, 0.5 half of them, 2.5 twice and half
  };

  Corpus() = default;
  void add(std::shared_ptr<const Dataset> dataset, double weight = 1);

  std::int64_t size() const noexcept { return size_; }
  std::vector<Part> parts() const;
  SampleView at(std::int64_t index) const;
  std::int64_t length(std::int64_t index) const;
  std::vector<std::int64_t> segments(std::int64_t index) const;
  std::int64_t num_tokens() const;
  // Of all samples in their order.
  std::string fingerprint() const;

  // Leaves out the samples longer than this; returns how many these are.
  std::int64_t drop_longer(std::int64_t tokens);
  // Takes a random `fraction` of each part's samples out, at least one of the whole; the same for the same seed.
  Corpus hold_out(double fraction, std::uint64_t seed);

 private:
  struct Source {
    std::shared_ptr<const Dataset> dataset;
    double weight = 1;
    std::int64_t begin = 0;                           // its first sample in the corpus
    std::optional<std::vector<std::int64_t>> chosen;  // of the data set's samples, in order; none: all

    std::int64_t count() const { return chosen ? static_cast<std::int64_t>(chosen->size()) : dataset->size(); }
    std::int64_t sample(std::int64_t i) const { return chosen ? (*chosen)[static_cast<std::size_t>(i)] : i; }
  };
  struct Place {
    const Dataset& dataset;
    std::int64_t index;
  };
  Place find(std::int64_t index) const;
  void count_samples();

  std::vector<Source> sources_;
  std::int64_t size_ = 0;
};

}  // namespace ilt
