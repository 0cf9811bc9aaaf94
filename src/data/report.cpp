// The report as JSON and as lines of the log.
#include "data/report.h"

#include "base/error.h"
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

std::string why_empty(const DataReport& report, std::int64_t max_seq_len) {
  if (report.records == 0) return "there is no record in it";
  if (report.cut_off == report.records) {
    return fmt::format(
        "what is to be learnt lies beyond max_seq_len ({}) in {} of {} records, so that no supervised token "
        "is left: give a larger one",
        max_seq_len, report.cut_off, report.records);
  }
  if (report.dropped.size() == 1 && report.dropped.contains("no supervised token")) {
    return fmt::format("no record has anything to learn ({} with no supervised token)", report.records);
  }
  return fmt::format("all {} records were dropped: {}", report.records, counts(report.dropped));
}

// Each field with its name, for writing and reading.
template <typename Report, typename Visit>
void each_field(Report& report, const Visit& visit) {
  visit("formats", report.formats);
  visit("records", report.records);
  visit("samples", report.samples);
  visit("tokens", report.tokens);
  visit("supervised_tokens", report.supervised_tokens);
  visit("dropped", report.dropped);
  visit("truncated", report.truncated);
  visit("cut_off", report.cut_off);
  visit("assistant_turns", report.assistant_turns);
  visit("empty_turns", report.empty_turns);
  visit("unterminated_turns", report.unterminated_turns);
  visit("terminators", report.terminators);
  visit("unused_keys", report.unused_keys);
  visit("bad_records", report.bad_records);
  visit("template_date", report.template_date);
}

}  // namespace

Json to_json(const DataReport& report) {
  Json json = Json::object();
  each_field(report, [&](const char* name, const auto& value) { json[name] = value; });
  return json;
}

DataReport report_from_json(const Json& json) {
  DataReport report;
  each_field(report, [&](const char* name, auto& value) {
    if (const auto it = json.find(name); it != json.end()) it->get_to(value);
  });
  return report;
}

void log_report(const DataReport& report) {
  for (const auto& [file, format] : report.formats) log::info(component, "{}: {} records", file, format);
  if (!report.template_date.empty()) {
    log::info(component, "the chat template prints the date: {} was used (option chat_template_date)",
              report.template_date);
  }
  if (!report.unused_keys.empty()) log::info(component, "keys that are not used: {}", Json(report.unused_keys).dump());
  for (const auto& [terminator, count] : report.terminators) {
    log::info(component, "assistant turns end with {} (in {} samples)", Json(terminator).dump(), count);
  }
  if (report.unterminated_turns > 0) {
    log::warn(component, "{} of {} assistant turns have no terminator to learn: a model may not learn to stop",
              report.unterminated_turns, report.assistant_turns);
  }
  if (report.empty_turns > 0) {
    log::warn(component, "{} of {} assistant turns are empty: only their terminator is learnt", report.empty_turns,
              report.assistant_turns);
  }
  if (!report.dropped.empty()) {
    log::warn(component, "dropped of {} records: {}", report.records, counts(report.dropped));
  }
  if (report.cut_off > 0) {
    log::warn(component, "in {} records what is to be learnt lies beyond max_seq_len: they are dropped",
              report.cut_off);
  }
  if (report.truncated > 0) log::warn(component, "{} samples were cut to max_seq_len", report.truncated);
  log::info(component, "{} samples, {} tokens ({} of them to be learnt) from {} records", report.samples, report.tokens,
            report.supervised_tokens, report.records);
}

void require_samples(const DataReport& report, std::span<const std::filesystem::path> files, std::int64_t max_seq_len) {
  if (report.samples > 0) return;
  const std::string source = files.size() == 1 ? files.front().string() : fmt::format("{} files", files.size());
  throw Error(Status::data, fmt::format("{}: the data set is empty: {}", source, why_empty(report, max_seq_len)),
              {{"file", source}, {"records", report.records}, {"dropped", report.dropped}});
}

}  // namespace ilt
