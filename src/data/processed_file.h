// The processed file: a data set's samples in one safetensors file that is mapped, not read, and shared by processes.
//
//   tensor input_ids     I32   [tokens]   all samples end to end
//   tensor supervised    BOOL  [tokens]   whether the token is to be learnt
//   tensor sample_ends   I64   [samples]  past the last token of each sample
//   metadata format "ilt.dataset", version, tokenizer (fingerprint), vocab_size, settings and report (JSON),
//            and checksum.TENSOR: 128-bit XXH3 of the tensor's bytes
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "data/dataset.h"
#include "weights/safetensors.h"

namespace ilt {

class ProcessedFile {
 public:
  // Checks header, checksums and the order of the ends. Throws format.
  explicit ProcessedFile(const std::filesystem::path& path);

  std::size_t size() const noexcept { return ends_.size() / sizeof(std::uint64_t); }
  std::span<const std::int32_t> ids() const noexcept { return ids_; }
  std::span<const std::uint8_t> supervised() const noexcept { return supervised_; }
  std::uint64_t sample_end(std::size_t i) const noexcept;

  // Those of the three tensors, in the order above.
  std::string checksums() const;
  const DataReport& report() const noexcept { return report_; }
  const DatasetOrigin& origin() const noexcept { return origin_; }

 private:
  std::span<const std::byte> tensor(const char* name, DType dtype) const;
  std::string metadata(const char* key) const;
  [[noreturn]] void broken(const std::string& why) const;
  void check() const;

  std::filesystem::path path_;
  SafetensorsFile file_;
  std::span<const std::int32_t> ids_;
  std::span<const std::uint8_t> supervised_;
  std::span<const std::byte> ends_;  // perhaps not aligned
  DataReport report_;
  DatasetOrigin origin_;
};

// Whether the file begins as a safetensors file does; no error for a file that is missing or short.
bool looks_processed(const std::filesystem::path& path);

inline constexpr const char* processed_format = "ilt.dataset";
inline constexpr const char* processed_version = "1";

}  // namespace ilt
