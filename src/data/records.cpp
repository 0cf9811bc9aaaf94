// One record at a time.
#include "data/records.h"

#include <utility>

#include "data/jsonl.h"

namespace ilt {
namespace {

Sample make_sample(const SampleMaker& maker, const Json& record, const Place& place) {
  return maker.make(detect_format(record, place), record, place);
}

}  // namespace

RecordReader::RecordReader(Tokenizer tokenizer, std::optional<ChatTemplate> chat, const DataOptions& options)
    : tokenizer_(std::move(tokenizer)),
      chat_(std::move(chat)),
      options_(options),
      maker_(tokenizer_, chat_ ? &*chat_ : nullptr, options_),
      tally_(options.max_bad_records, options.min_seq_len) {}

bool RecordReader::add(std::string_view record_json, Dataset& dataset) {
  const Place place{fmt::format("record {}", tally_.report().records + 1), 1};
  bool kept = false;
  try {
    const Sample sample = make_sample(maker_, parse_record({record_json, 1}, place), place);
    kept = tally_.add(sample);
    if (kept) dataset.add(sample.ids, sample.labels);
  } catch (const Error& error) {
    if (error.status() != Status::data) throw;
    const bool tolerated = tally_.report().dropped_for("bad record") < options_.max_bad_records;
    if (tolerated) tally_.add_bad(error);
    dataset.report = tally_.report();
    if (!tolerated) throw;
  }
  dataset.report = tally_.report();
  return kept;
}

Sample sample_of_record(const Tokenizer& tokenizer, const ChatTemplate* chat, std::string_view record_json) {
  const DataOptions options;
  const SampleMaker maker(tokenizer, chat, options);
  const Place place{"record", 1};
  const auto first = record_json.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && record_json[first] == '[') {
    return make_sample(maker, {{"messages", parse_json(record_json, "messages", {.keys = 10'000})}}, place);
  }
  return make_sample(maker, parse_record({record_json, 1}, place), place);
}

}  // namespace ilt
