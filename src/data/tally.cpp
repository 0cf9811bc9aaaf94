// Nothing is dropped without a count and a line in the log.
#include "data/tally.h"

#include <algorithm>

#include "base/log.h"

namespace ilt {
namespace {

constexpr const char* component = "data";

std::string counts(const std::map<std::string, std::int64_t>& dropped) {
  std::string text;
  for (const auto& [reason, count] : dropped)
    text += fmt::format("{}{} for {}", text.empty() ? "" : ", ", count, reason);
  return text;
}

}  // namespace

void Tally::add_bad(const Error& error) {
  ++records_;
  if (!first_bad_) first_bad_ = error;
  const std::int64_t count = ++dropped_["bad record"];
  if (count <= max_bad_records_) {
    log::warn(component, "bad record: {}", error.what());
    return;
  }
  if (max_bad_records_ == 0) throw *first_bad_;
  throw Error(first_bad_->status(),
              fmt::format("{} (the first of {} bad records; max_bad_records is {})", first_bad_->what(), count,
                          max_bad_records_),
              first_bad_->detail());
}

void Tally::add(Sample sample, Dataset& dataset) {
  ++records_;
  assistant_turns_ += sample.assistant_turns;
  unterminated_ += sample.unterminated;
  if (!sample.terminator.empty()) ++terminators_[sample.terminator];
  if (sample.too_long) {
    ++dropped_["too long"];
    return;
  }
  const bool learns = sample.labels.size() > 1 && std::any_of(sample.labels.begin() + 1, sample.labels.end(),
                                                              [](auto label) { return label != ignored_label; });
  if (!learns) {
    ++dropped_["no supervised token"];
    return;
  }
  truncated_ += sample.truncated;
  dataset.add(sample.ids, sample.labels);
}

void Tally::finish(Dataset& dataset, const std::string& source) const {
  dataset.dropped = dropped_;
  dataset.truncated = truncated_;
  if (!unused_.empty()) log::info(component, "keys that are not used: {}", Json(unused_).dump());
  for (const auto& [terminator, count] : terminators_) {
    log::info(component, "assistant turns end with {} (in {} samples)", Json(terminator).dump(), count);
  }
  if (unterminated_ > 0) {
    log::warn(component, "{} of {} assistant turns have no terminator to learn: a model may not learn to stop",
              unterminated_, assistant_turns_);
  }
  if (!dropped_.empty()) log::warn(component, "dropped of {} records: {}", records_, counts(dropped_));
  if (truncated_ > 0) log::warn(component, "{} samples were cut to max_seq_len", truncated_);
  log::info(component, "{} samples, {} tokens from {} records", dataset.size(), dataset.num_tokens(), records_);
  if (dataset.size() > 0) return;
  const std::string why = records_ == 0 ? "there is no record in it"
                          : dropped_.size() == 1 && dropped_.contains("no supervised token")
                              ? fmt::format("no record has anything to learn ({} with no supervised token)", records_)
                              : fmt::format("all {} records were dropped: {}", records_, counts(dropped_));
  throw Error(Status::data, fmt::format("{}: the data set is empty: {}", source, why),
              {{"file", source}, {"records", records_}, {"dropped", dropped_}});
}

}  // namespace ilt
