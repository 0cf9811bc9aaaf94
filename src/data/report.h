// What became of a data set's records: the counts that are logged, kept in the processed file and shown by statistics.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"

namespace ilt {

struct DataReport {
  std::map<std::string, std::string> formats;  // a file: the name of its records' format
  std::int64_t records = 0;
  std::int64_t samples = 0;
  std::int64_t tokens = 0;
  std::int64_t supervised_tokens = 0;               // those that a loss is computed for
  std::map<std::string, std::int64_t> dropped;      // reason ("too long", "no supervised token", ...): records
  std::int64_t truncated = 0;                       // samples that were cut to max_seq_len
  std::int64_t cut_off = 0;                         // records dropped since the cut left nothing to learn
  std::int64_t assistant_turns = 0;                 // that are learnt
  std::int64_t empty_turns = 0;                     // of these: with nothing to learn but the terminator
  std::int64_t unterminated_turns = 0;              // of these: with no terminator to learn
  std::map<std::string, std::int64_t> terminators;  // text: samples whose last assistant turn ends with it
  std::set<std::string> unused_keys;                // of records
  std::vector<std::string> bad_records;             // messages of the first ones
  std::int64_t dropped_for(const std::string& reason) const {
    const auto found = dropped.find(reason);
    return found == dropped.end() ? 0 : found->second;
  }
  std::string template_date;  // that the chat template printed, YYYY-MM-DD; else empty
};

Json to_json(const DataReport& report);
// Of what to_json made; what is absent keeps its default.
DataReport report_from_json(const Json& json);

// Says the report as lines of the log.
void log_report(const DataReport& report);

// Throws data, saying why, where no record of the files became a sample.
void require_samples(const DataReport& report, std::span<const std::filesystem::path> files, std::int64_t max_seq_len);

}  // namespace ilt
