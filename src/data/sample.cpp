// Rendering, tokenising and masking, format by format.
#include "data/sample.h"

#include <algorithm>

#include "data/mask.h"
#include "data/to_conversation.h"
#include "data/turns.h"

namespace ilt {
namespace {

void label(Sample& sample, const std::vector<bool>& learnt) {
  sample.labels.assign(sample.ids.size(), ignored_label);
  for (std::size_t i = 0; i < sample.ids.size(); ++i) {
    if (learnt[i]) sample.labels[i] = sample.ids[i];
  }
}

// Assistants' messages to be learnt that say nothing at all.
std::int64_t count_empty_turns(const Conversation& conversation) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < conversation.train.size(); ++i) {
    const Json& message = conversation.messages[i];
    const bool says_something = message.contains("tool_calls") || message.contains("reasoning_content") ||
                                message.contains("thinking") || message.contains("reasoning") ||
                                (message.contains("content") && message["content"] != "");
    count += conversation.train[i] && message["role"] == "assistant" && !says_something;
  }
  return count;
}

std::vector<std::int32_t> integers(const Json& record, const char* key, const Place& place) {
  const Json& list = record[key];
  if (!list.is_array()) {
    fail_record(place, fmt::format("\"{}\" is {}, expected a list of integers", key, describe_type(list)),
                {{"key", key}, {"got", describe_type(list)}, {"expected", "a list of integers"}});
  }
  std::vector<std::int32_t> values;
  values.reserve(list.size());
  for (const Json& value : list) {
    const bool fits = value.is_number_integer() && value >= ignored_label && value <= INT32_MAX;
    if (!fits) {
      fail_record(place, fmt::format("\"{}\"[{}] is {}, expected a token id", key, values.size(), value.dump()),
                  {{"key", key}, {"index", values.size()}, {"got", value}, {"expected", "a token id"}});
    }
    values.push_back(value.get<std::int32_t>());
  }
  return values;
}

std::string string_at(const Json& record, const char* key, const Place& place) {
  if (!record[key].is_string()) {
    fail_record(place, fmt::format("\"{}\" is {}, expected a string", key, describe_type(record[key])),
                {{"key", key}, {"got", describe_type(record[key])}, {"expected", "a string"}});
  }
  return record[key].get<std::string>();
}

}  // namespace

Sample SampleMaker::make(Format format, const Json& record, const Place& place) const {
  Sample sample;
  switch (format) {
    case Format::processed:
      sample = from_processed(record, place);
      break;
    case Format::document:
      sample = from_document(record, place);
      break;
    default:
      if (chat_ == nullptr && format == Format::prompt_completion && record["prompt"].is_string()) {
        sample = from_texts(record, place);
        break;
      }
      if (chat_ == nullptr) fail_record(place, fmt::format("{} records need a chat template", name(format)));
      const Conversation conversation = to_conversation(format, record, place, options_.train_on == TrainOn::last_turn);
      try {
        sample = from_conversation(conversation);
      } catch (const Error& error) {
        if (error.status() != Status::data) throw;
        fail_record(place, error.what(), error.detail());
      }
  }
  apply_length_limit(format, sample, place);
  require_known_ids(sample, place);
  return sample;
}

// A token beyond the embedding table would read foreign memory.
void SampleMaker::require_known_ids(const Sample& sample, const Place& place) const {
  if (options_.vocab <= 0) return;
  const auto beyond = std::find_if(sample.ids.begin(), sample.ids.end(), [&](auto id) { return id >= options_.vocab; });
  if (beyond == sample.ids.end()) return;
  const std::int32_t id = *beyond;
  const std::string token = id < tokenizer_.vocab_size() ? tokenizer_.decode(std::span(&id, 1), false) : "";
  fail_record(
      place,
      fmt::format("holds the token '{}' (id {}), but the model's vocabulary has {} rows: use the tokenizer that "
                  "belongs to the model, or let the vocabulary grow (resize_vocab)",
                  token, id, options_.vocab),
      {{"id", id}, {"token", token}, {"vocab", options_.vocab}});
}

Sample SampleMaker::from_conversation(const Conversation& conversation) const {
  Sample sample;
  const std::string text = chat_->render(conversation.messages, false, conversation.variables);
  if ((sample.too_long = surely_too_long(text.size()))) return sample;
  const auto turns = find_turns(*chat_, conversation, text);
  // The template writes the special tokens itself; the tokenizer must not add them again.
  Encoding encoding = tokenizer_.encode(text, false);
  Mask mask = mask_tokens(turns, text, encoding, tokenizer_);
  sample.ids = std::move(encoding.ids);
  if (options_.train_on == TrainOn::all) mask.learnt.assign(sample.ids.size(), true);
  label(sample, mask.learnt);
  sample.empty_turns = count_empty_turns(conversation);
  sample.assistant_turns = mask.assistant_turns;
  sample.unterminated = mask.unterminated;
  sample.terminator = std::move(mask.terminator);
  return sample;
}

// Prompt and completion without a template: one text, of which the completion and the end of text are learnt.
Sample SampleMaker::from_texts(const Json& record, const Place& place) const {
  Sample sample;
  const std::string prompt = string_at(record, "prompt", place);
  const std::string text = prompt + string_at(record, "completion", place);
  if ((sample.too_long = surely_too_long(text.size()))) return sample;
  Encoding encoding = tokenizer_.encode(text, true);
  const Turn completion{.begin = prompt.size(), .end = text.size(), .tail_end = text.size()};
  Mask mask = mask_tokens({completion}, text, encoding, tokenizer_);
  sample.ids = std::move(encoding.ids);
  if (const auto eos = tokenizer_.eos_id(); eos >= 0 && (sample.ids.empty() || sample.ids.back() != eos)) {
    sample.ids.push_back(eos);
    mask.learnt.push_back(true);
  }
  if (options_.train_on == TrainOn::all) mask.learnt.assign(sample.ids.size(), true);
  label(sample, mask.learnt);
  return sample;
}

Sample SampleMaker::from_processed(const Json& record, const Place& place) const {
  Sample sample;
  sample.ids = integers(record, "input_ids", place);
  if (const auto bad = std::find_if(sample.ids.begin(), sample.ids.end(), [](auto id) { return id < 0; });
      bad != sample.ids.end()) {
    fail_record(place, fmt::format("\"input_ids\" holds {}, expected ids from 0", *bad), {{"key", "input_ids"}});
  }
  sample.labels = record.contains("labels") ? integers(record, "labels", place) : sample.ids;
  if (sample.labels.size() != sample.ids.size()) {
    fail_record(place, fmt::format("{} input_ids but {} labels", sample.ids.size(), sample.labels.size()),
                {{"key", "labels"}, {"got", sample.labels.size()}, {"expected", sample.ids.size()}});
  }
  for (std::size_t i = 0; i < sample.ids.size(); ++i) {
    if (sample.labels[i] != ignored_label && sample.labels[i] != sample.ids[i]) {
      fail_record(place,
                  fmt::format("\"labels\"[{}] is {}, expected {} (unshifted: the id at the same place) or {}", i,
                              sample.labels[i], sample.ids[i], ignored_label),
                  {{"key", "labels"}, {"index", i}, {"got", sample.labels[i]}, {"expected", sample.ids[i]}});
    }
  }
  return sample;
}

// A text to be learnt as a whole, with the end of text after it.
Sample SampleMaker::from_document(const Json& record, const Place& place) const {
  Sample sample;
  const std::string text = string_at(record, record.contains("document") ? "document" : "text", place);
  if (!options_.whole_documents && (sample.too_long = surely_too_long(text.size()))) return sample;
  sample.ids = tokenizer_.encode(text, true).ids;
  if (const auto eos = tokenizer_.eos_id(); eos >= 0 && (sample.ids.empty() || sample.ids.back() != eos)) {
    sample.ids.push_back(eos);
  }
  sample.labels = sample.ids;
  return sample;
}

// A bound that spares tokenising texts of many megabytes only to drop them: no token stands for more bytes than the
// longest one, of which four times as much is taken, as normalisation may shorten a text first.
bool SampleMaker::surely_too_long(std::size_t bytes) const {
  if (options_.max_seq_len <= 0 || options_.overlong == Overlong::truncate) return false;
  const std::size_t per_token = 4 * std::max<std::size_t>(tokenizer_.longest_token(), 64);
  return bytes / per_token > static_cast<std::size_t>(options_.max_seq_len);
}

void SampleMaker::apply_length_limit(Format format, Sample& sample, const Place& place) const {
  if (format == Format::document && options_.whole_documents) return;
  const auto length = static_cast<std::int64_t>(sample.ids.size());
  if (!sample.too_long && (options_.max_seq_len <= 0 || length <= options_.max_seq_len)) return;
  if (options_.overlong == Overlong::error) {
    const std::string tokens = sample.too_long ? "far more" : std::to_string(length);
    fail_record(place, fmt::format("the sample has {} tokens, max_seq_len is {}", tokens, options_.max_seq_len),
                {{"key", "max_seq_len"}, {"got", length}, {"expected", options_.max_seq_len}});
  }
  const auto keep = options_.overlong == Overlong::truncate ? static_cast<std::size_t>(options_.max_seq_len) : 0;
  sample.truncated = keep > 0;
  sample.too_long = keep == 0;
  sample.ids.resize(keep);
  sample.labels.resize(keep);
}

}  // namespace ilt
