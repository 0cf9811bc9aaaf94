// What became of the records, counted while a data set is read, and said at the end.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/error.h"
#include "data/dataset.h"
#include "data/format.h"
#include "data/sample.h"

namespace ilt {

class Tally {
 public:
  explicit Tally(std::int64_t max_bad_records) : max_bad_records_(max_bad_records) {}

  // Counts a bad record; throws the first one's error where there are too many.
  void add_bad(const Error& error);
  void add_unused(const std::set<std::string>& keys) { unused_.insert(keys.begin(), keys.end()); }
  // Puts the sample into the data set, or counts why not.
  void add(Sample sample, Dataset& dataset);

  // Logs the counts and leaves them in the data set; throws data where it is empty, saying why.
  void finish(Dataset& dataset, const std::string& source) const;

 private:
  std::int64_t max_bad_records_;
  std::int64_t records_ = 0;
  std::map<std::string, std::int64_t> dropped_;
  std::int64_t truncated_ = 0;
  std::int64_t assistant_turns_ = 0;
  std::int64_t unterminated_ = 0;
  std::map<std::string, std::int64_t> terminators_;
  std::set<std::string> unused_;
  std::optional<Error> first_bad_;
};

}  // namespace ilt
