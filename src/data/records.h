// Samples from single records, as a host hands them over.
#pragma once

#include <optional>
#include <string_view>

#include "data/sample.h"
#include "data/tally.h"

namespace ilt {

// Takes records of any format, each on its own, by the rules that files are read by.
class RecordReader {
 public:
  RecordReader(Tokenizer tokenizer, std::optional<ChatTemplate> chat, const DataOptions& options);
  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;

  // Adds the record's sample to the data set and keeps its report; false where the record is dropped, which the report
  // says. Throws data, naming "record N line 1".
  bool add(std::string_view record_json, Dataset& dataset);

 private:
  Tokenizer tokenizer_;
  std::optional<ChatTemplate> chat_;
  DataOptions options_;
  SampleMaker maker_;
  Tally tally_;
};

// The sample of one chat record (an object of any chat format, or a list of messages).
Sample sample_of_record(const Tokenizer& tokenizer, const ChatTemplate* chat, std::string_view record_json);

}  // namespace ilt
