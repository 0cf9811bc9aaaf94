// Reading JSON Lines, with errors that a person can act on.
#include "data/jsonl.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/text.h"
#include "data/utf8.h"

namespace ilt {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::string_view blanks = " \t\r\v\f";
constexpr JsonLimits limits{.keys = 10'000};  // rendering looks keys up one by one

// What a line that fails to parse at `column` seems to be.
std::string hint(std::string_view text, std::size_t column) {
  if (text.starts_with('[')) {
    return "; the file looks like one JSON array: write its elements one a line (jq -c '.[]' FILE)";
  }
  if (column > text.size()) {
    return "; the record looks spread over several lines: JSON Lines holds one object a line (jq -c . FILE)";
  }
  const std::string_view before = text.substr(0, column - 1);
  const std::size_t last = before.find_last_not_of(blanks);
  if (last != std::string_view::npos && before[last] == ',' && (text[column - 1] == '}' || text[column - 1] == ']')) {
    return "; there is a comma too many";
  }
  if (last != std::string_view::npos && before[last] == '}' && text[column - 1] == '{') {
    return "; there is more than one object on the line";
  }
  return {};
}

}  // namespace

JsonlReader::JsonlReader(const std::filesystem::path& path) : source_(open_bytes(path)) {
  rest_.resize(byte_order_mark.size());
  rest_.resize(source_->read(rest_));
  if (rest_ == byte_order_mark) rest_.clear();
}

bool JsonlReader::next(LineBatch& batch, std::size_t bytes) {
  do {
    batch.lines.clear();
    if (!fill(batch.bytes, bytes)) return false;
    split(batch.bytes, batch.lines);
  } while (batch.lines.empty());
  return true;
}

void JsonlReader::skip_to(std::int64_t number) {
  skip_to_ = number;
}

// Whole lines into `bytes`; what follows the last line end goes to rest_.
bool JsonlReader::fill(std::string& bytes, std::size_t wanted) {
  bytes = std::move(rest_);
  rest_.clear();
  std::size_t whole = 0;  // bytes up to and with the last line end
  while (!at_end_) {
    const std::size_t size = bytes.size();
    bytes.resize(size + std::max<std::size_t>(wanted, 4096));
    bytes.resize(size + source_->read(std::span(bytes).subspan(size)));
    at_end_ = bytes.size() == size;
    if (const auto last = std::string_view(bytes).substr(size).rfind('\n'); last != std::string_view::npos) {
      whole = size + last + 1;
    }
    if (bytes.size() >= wanted && whole > 0) {
      rest_ = bytes.substr(whole);
      bytes.resize(whole);
      return true;
    }
  }
  return !bytes.empty();
}

void JsonlReader::split(std::string_view text, std::vector<Line>& lines) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (++number_ <= skip_to_) continue;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(blanks) != std::string_view::npos) lines.push_back({line, number_});
  }
}

Json parse_record(const Line& line, const Place& place) {
  const std::string_view text = line.text;
  if (const std::size_t valid = valid_utf8_prefix(text); valid < text.size()) {
    fail_record(place,
                fmt::format("byte column {} (0x{:02X}) is not UTF-8", valid + 1,
                            static_cast<unsigned>(static_cast<unsigned char>(text[valid]))),
                {{"column", valid + 1}, {"expected", "UTF-8"}});
  }
  Json record;
  try {
    record = parse_json_text(text, limits);
  } catch (const JsonFault& fault) {
    const std::string why = shortened(fault.reason);
    if (fault.byte == JsonFault::nowhere) fail_record(place, fmt::format("no valid JSON: {}", why));
    const std::size_t column = fault.byte + 1;
    fail_record(place, fmt::format("column {}: no valid JSON: {}{}", column, why, hint(text, column)),
                {{"column", column}, {"expected", "a JSON object"}});
  }
  if (!record.is_object()) {
    fail_record(place, fmt::format("column 1: found {}, expected an object{}", describe_type(record), hint(text, 1)),
                {{"column", 1}, {"got", describe_type(record)}, {"expected", "object"}});
  }
  return record;
}

}  // namespace ilt
