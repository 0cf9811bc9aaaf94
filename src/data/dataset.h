// A data set ready to train on: the tokens of every sample and which of them are to be learnt, addressed by index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/report.h"

namespace ilt {

// Hugging Face's mark for a token that is not to be learnt.
inline constexpr std::int32_t ignored_label = -100;

struct SampleView {
  std::span<const std::int32_t> ids;
  std::span<const std::uint8_t>
      supervised;  // a token: 1 where it is to be learnt, else 0; that of a first token has no effect
};

// Hugging Face's labels of a sample, unshifted: the id where it is to be learnt, else ignored_label.
std::vector<std::int32_t> labels_of(const SampleView& sample);

// Where a data set comes from, as far as it is known.
struct DatasetOrigin {
  std::string tokenizer;        // its fingerprint
  std::int32_t vocab_size = 0;  // of that tokenizer
  Json settings = Json::object();
};

class Dataset {
 public:
  Dataset();  // empty, in memory
  // Maps a processed file (data/processed_file.h). Throws format, naming what is wrong with it.
  static Dataset open(const std::filesystem::path& path);
  Dataset(Dataset&&) noexcept;
  Dataset& operator=(Dataset&&) noexcept;
  ~Dataset();

  std::int64_t size() const noexcept;
  std::int64_t num_tokens() const noexcept { return static_cast<std::int64_t>(ids().size()); }
  SampleView at(std::int64_t index) const;
  std::int64_t length(std::int64_t index) const;
  // Tokens of the sample that a loss is computed for.
  std::int64_t supervised(std::int64_t index) const;
  // The lengths of a sample's parts, which know nothing of each other: the documents (or pieces) in a block, else one.
  std::vector<std::int64_t> segments(std::int64_t index) const;

  // Of the samples, the same for the same ones in memory and in a file.
  std::string fingerprint() const;

  // Appends a sample; only in memory.
  void add(std::span<const std::int32_t> ids, std::span<const std::int32_t> labels);
  // From now on samples are blocks of `tokens` tokens (the last one of fewer), filled with the former samples end to
  // end. Those stay apart within a block, as segments.
  void cut_into_blocks(std::int64_t tokens);

  DataReport report;
  DatasetOrigin origin;

 private:
  struct Mapping;
  std::span<const std::int32_t> ids() const noexcept;
  std::span<const std::uint8_t> supervised_flags() const noexcept;
  std::uint64_t stored_end(std::size_t i) const noexcept;
  std::size_t stored_size() const noexcept;
  std::pair<std::size_t, std::size_t> range(std::int64_t index) const;

  std::unique_ptr<const Mapping> mapping_;
  std::vector<std::int32_t> ids_;
  std::vector<std::uint8_t> supervised_;
  std::vector<std::uint64_t> ends_;  // past the last token of each sample
  std::size_t block_ = 0;            // 0: samples as stored
};

}  // namespace ilt
