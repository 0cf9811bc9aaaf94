// Writes a processed file, sample by sample, so that a killed process can go on where it was.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "base/append_file.h"
#include "data/dataset.h"

namespace ilt {

// Until publish() everything lies in the folder PATH.partial: the tensors as they grow, and state.json with how far
// they were when last committed. PATH itself appears whole, by a rename.
class ProcessedWriter {
 public:
  // Goes on with PATH.partial where it was begun with the same settings, else begins anew. Throws io; invalid_state
  // where another process is writing.
  ProcessedWriter(const std::filesystem::path& path, const Json& settings);
  ~ProcessedWriter();
  ProcessedWriter(const ProcessedWriter&) = delete;
  ProcessedWriter& operator=(const ProcessedWriter&) = delete;

  // What the last commit of the work that this goes on with was given.
  const std::optional<Json>& resumed() const noexcept { return resumed_; }

  void add(std::span<const std::int32_t> ids, std::span<const std::int32_t> labels);
  // Makes all so far durable, with what the work needs to go on.
  void commit(const Json& progress);
  void publish(const DataReport& report, const DatasetOrigin& origin);
  // Removes what is partial.
  void discard() noexcept;

 private:
  struct Files;
  void begin(const Json& settings);
  std::optional<Json> committed(const Json& settings) const;

  std::filesystem::path path_;
  std::filesystem::path folder_;
  Json settings_;
  int lock_ = -1;
  std::optional<Json> resumed_;
  std::unique_ptr<Files> files_;
};

}  // namespace ilt
