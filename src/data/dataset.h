// A data set ready to train on: token ids and labels of every sample, addressed by index.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace ilt {

inline constexpr std::int32_t ignored_label = -100;

// One sample. labels[i] is ids[i] where that token is to be learnt, else ignored_label (Hugging Face's convention:
// unshifted; position 0 is never a target).
struct SampleView {
  std::span<const std::int32_t> ids;
  std::span<const std::int32_t> labels;
};

class Dataset {
 public:
  std::int64_t size() const noexcept { return static_cast<std::int64_t>(begin_.size()) - 1; }
  SampleView at(std::int64_t index) const;
  std::int64_t length(std::int64_t index) const;
  std::int64_t num_tokens() const noexcept { return static_cast<std::int64_t>(ids_.size()); }
  // Labels that count: positions >= 1 that are not ignored.
  std::int64_t supervised(std::int64_t index) const;

  void add(std::span<const std::int32_t> ids, std::span<const std::int32_t> labels);
  // Records that did not become samples, by reason ("too long", "no supervised token", "bad record").
  std::map<std::string, std::int64_t> dropped;
  std::int64_t truncated = 0;  // samples that were cut to the maximum length

 private:
  std::vector<std::int32_t> ids_;
  std::vector<std::int32_t> labels_;
  std::vector<std::size_t> begin_ = {0};
};

}  // namespace ilt
