// Decides which samples are kept, and counts what became of every record.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "base/error.h"
#include "data/report.h"
#include "data/sample.h"

namespace ilt {

class Tally {
 public:
  Tally(std::int64_t max_bad_records, std::int64_t min_seq_len)
      : max_bad_records_(max_bad_records), min_seq_len_(min_seq_len) {}

  // Goes on from a report that was kept.
  void resume(const DataReport& report) { report_ = report; }

  // Counts a bad record; throws the first one's error where there are too many.
  void add_bad(const Error& error);
  void add_unused(const std::set<std::string>& keys);
  void add_format(const std::string& file, const char* format) { report_.formats[file] = format; }
  std::string format_of(const std::string& file) const {
    const auto found = report_.formats.find(file);
    return found == report_.formats.end() ? "" : found->second;
  }
  // Whether the sample is kept; counts why not.
  bool add(const Sample& sample);

  const DataReport& report() const noexcept { return report_; }

 private:
  bool drop(const char* reason);

  std::int64_t max_bad_records_;
  std::int64_t min_seq_len_;
  DataReport report_;
  std::optional<Error> first_bad_;
};

}  // namespace ilt
