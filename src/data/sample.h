// One record to one sample: token ids and labels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/format.h"
#include "data/load.h"

namespace ilt {

struct Sample {
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> labels;
  bool too_long = false;  // then without ids
  bool truncated = false;
  std::int64_t assistant_turns = 0;
  std::int64_t unterminated = 0;
  std::string terminator;
};

class SampleMaker {
 public:
  SampleMaker(const Tokenizer& tokenizer, const ChatTemplate* chat, const LoadOptions& options)
      : tokenizer_(tokenizer), chat_(chat), options_(options) {}

  // Thread-safe. Throws data with the record's place.
  Sample make(Format format, const Json& record, const Place& place) const;

 private:
  Sample from_conversation(const Conversation& conversation) const;
  Sample from_texts(const Json& record, const Place& place) const;
  Sample from_processed(const Json& record, const Place& place) const;
  Sample from_document(const Json& record, const Place& place) const;
  bool surely_too_long(std::size_t bytes) const;
  void apply_length_limit(Sample& sample, const Place& place) const;

  const Tokenizer& tokenizer_;
  const ChatTemplate* chat_;
  const LoadOptions& options_;
};

}  // namespace ilt
