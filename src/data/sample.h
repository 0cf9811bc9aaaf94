// One record to one sample: token ids and labels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/dataset.h"
#include "data/format.h"
#include "data/options.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace ilt {

struct Sample {
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> labels;
  bool too_long = false;  // then without ids
  bool truncated = false;
  std::int64_t assistant_turns = 0;
  std::int64_t empty_turns = 0;
  std::int64_t unterminated = 0;
  std::string terminator;
};

class SampleMaker {
 public:
  SampleMaker(const Tokenizer& tokenizer, const ChatTemplate* chat, const DataOptions& options)
      : tokenizer_(tokenizer), chat_(chat), options_(options) {}

  // Thread-safe. Throws data with the record's place.
  Sample make(Format format, const Json& record, const Place& place) const;

 private:
  Sample from_conversation(const Conversation& conversation) const;
  Sample from_texts(const Json& record, const Place& place) const;
  Sample from_processed(const Json& record, const Place& place) const;
  Sample from_document(const Json& record, const Place& place) const;
  bool surely_too_long(std::size_t bytes) const;
  void require_known_ids(const Sample& sample, const Place& place) const;
  void apply_length_limit(Format format, Sample& sample, const Place& place) const;

  const Tokenizer& tokenizer_;
  const ChatTemplate* chat_;
  const DataOptions& options_;
};

}  // namespace ilt
