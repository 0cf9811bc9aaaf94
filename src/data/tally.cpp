// Nothing is dropped without a count and a line in the log.
#include "data/tally.h"

#include <algorithm>

#include "base/log.h"

namespace ilt {
namespace {

// Bounds of what faulty data could let grow without end.
constexpr std::size_t kept_messages = 20;
constexpr std::size_t kept_names = 100;

std::int64_t count_supervised(const Sample& sample) {
  if (sample.labels.empty()) return 0;
  return std::count_if(sample.labels.begin() + 1, sample.labels.end(),
                       [](std::int32_t label) { return label != ignored_label; });
}

}  // namespace

void Tally::add_bad(const Error& error) {
  ++report_.records;
  if (!first_bad_) first_bad_ = error;
  if (report_.bad_records.size() < kept_messages) report_.bad_records.emplace_back(error.what());
  const std::int64_t count = ++report_.dropped["bad record"];
  if (count <= max_bad_records_) {
    log::warn("data", "bad record: {}", error.what());
    return;
  }
  if (max_bad_records_ == 0) throw *first_bad_;
  throw Error(first_bad_->status(),
              fmt::format("{} (the first of {} bad records; max_bad_records is {})", first_bad_->what(), count,
                          max_bad_records_),
              first_bad_->detail());
}

void Tally::add_unused(const std::set<std::string>& keys) {
  for (const std::string& key : keys) {
    if (report_.unused_keys.size() < kept_names) report_.unused_keys.insert(key);
  }
}

bool Tally::drop(const char* reason) {
  ++report_.dropped[reason];
  return false;
}

bool Tally::add(const Sample& sample) {
  ++report_.records;
  report_.assistant_turns += sample.assistant_turns;
  report_.empty_turns += sample.empty_turns;
  report_.unterminated_turns += sample.unterminated;
  if (!sample.terminator.empty() &&
      (report_.terminators.size() < kept_names || report_.terminators.contains(sample.terminator))) {
    ++report_.terminators[sample.terminator];
  }
  if (sample.too_long) return drop("too long");
  const auto length = static_cast<std::int64_t>(sample.ids.size());
  if (length < min_seq_len_) return drop("too short");
  const std::int64_t supervised = count_supervised(sample);
  if (supervised == 0) {
    report_.cut_off += sample.truncated;
    return drop("no supervised token");
  }
  report_.truncated += sample.truncated;
  ++report_.samples;
  report_.tokens += length;
  report_.supervised_tokens += supervised;
  return true;
}

}  // namespace ilt
