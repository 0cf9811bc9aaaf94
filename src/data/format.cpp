// One table of the formats' keys.
#include "data/format.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace ilt {
namespace {

struct Entry {
  Format format;
  const char* name;
  std::vector<std::string_view> required;
  std::vector<std::string_view> optional;
};

const std::array<Entry, 7>& table() {
  static const std::array<Entry, 7> entries = {{
      {Format::messages, "messages", {"messages"}, {"system", "unmask", "tools", "documents", "chat_template_kwargs"}},
      {Format::sharegpt,
       "ShareGPT conversations",
       {"conversations"},
       {"system", "unmask", "tools", "documents", "chat_template_kwargs"}},
      {Format::processed, "processed (input_ids, labels)", {"input_ids"}, {"labels", "len", "num_loss_counted_tokens"}},
      {Format::alpaca,
       "Alpaca",
       {"instruction", "output"},
       {"input", "system", "history", "unmask", "tools", "documents", "chat_template_kwargs"}},
      {Format::prompt_completion,
       "prompt and completion",
       {"prompt", "completion"},
       {"unmask", "tools", "documents", "chat_template_kwargs"}},
      {Format::document, "document", {"document"}, {}},
      {Format::document, "document", {"text"}, {}},
  }};
  return entries;
}

bool matches(const Entry& entry, const Json& record) {
  return std::all_of(entry.required.begin(), entry.required.end(),
                     [&](std::string_view key) { return record.contains(key); });
}

const Entry* entry_of(Format format, const Json& record) {
  for (const Entry& entry : table()) {
    if (entry.format == format && matches(entry, record)) return &entry;
  }
  return nullptr;
}

[[noreturn]] void fail_keys(const Json& record, const Place& place, const Format* only) {
  std::vector<std::string> found;
  for (const auto& [key, value] : record.items()) found.push_back(key);
  std::string expected;
  for (const Entry& entry : table()) {
    if (only != nullptr && entry.format != *only) continue;
    std::string keys;
    for (const auto key : entry.required) keys += fmt::format("{}\"{}\"", keys.empty() ? "" : " and ", key);
    expected += (expected.empty() ? "" : ", or ") + keys;
  }
  fail_record(place, fmt::format("keys found: {}; expected {}", shortened(to_line(Json(found))), expected),
              {{"got", found}, {"expected", expected}});
}

}  // namespace

const char* name(Format format) {
  const auto& entries = table();
  return std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.format == format; })->name;
}

std::optional<Format> format_named(std::string_view name) {
  for (const Entry& entry : table()) {
    if (entry.name == name) return entry.format;
  }
  return {};
}

Format detect_format(const Json& record, const Place& place) {
  for (const Entry& entry : table()) {
    if (matches(entry, record)) return entry.format;
  }
  fail_keys(record, place, nullptr);
}

void require_format(Format expected, const Json& record, const Place& place) {
  if (entry_of(expected, record) == nullptr) fail_keys(record, place, &expected);
}

std::set<std::string> unused_keys(Format format, const Json& record) {
  std::set<std::string> unused;
  const Entry* entry = entry_of(format, record);
  if (entry == nullptr) return unused;
  const auto knows = [&](const auto& keys, const std::string& key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  for (const auto& [key, value] : record.items()) {
    if (!knows(entry->required, key) && !knows(entry->optional, key)) unused.insert(key);
  }
  return unused;
}

}  // namespace ilt
