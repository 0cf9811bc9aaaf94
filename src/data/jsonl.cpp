// Reading JSON Lines, with errors that a person can act on.
#include "data/jsonl.h"

#include <string>

#include "data/utf8.h"

namespace ilt {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::string_view blanks = " \t\r\v\f";
constexpr int max_depth = 128;

// Files that are often taken for JSON Lines, known by their first bytes.
void refuse_other_formats(std::string_view bytes, const std::string& file) {
  struct Magic {
    std::string_view head;
    const char* what;
  };
  using namespace std::string_view_literals;
  for (const auto& [head, what] :
       {Magic{"\x1F\x8B"sv, "gzip data; unpack it first"}, Magic{"\x28\xB5\x2F\xFD"sv, "zstd data; unpack it first"},
        Magic{"PK\x03\x04"sv, "a zip archive; unpack it first"}, Magic{"PAR1"sv, "Parquet; convert it to JSON Lines"},
        Magic{"ARROW1"sv, "Arrow; convert it to JSON Lines"}, Magic{"\xFF\xFE"sv, "UTF-16 text; convert it to UTF-8"},
        Magic{"\xFE\xFF"sv, "UTF-16 text; convert it to UTF-8"}}) {
    if (bytes.starts_with(head)) {
      throw Error(Status::data, fmt::format("{} is {}", file, what), {{"file", file}, {"line", 1}});
    }
  }
}

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

// The parser's words without the position that it counts in its own way.
std::string reason(const Json::exception& error) {
  const std::string text = error.what();
  const auto at = text.find("syntax error");
  return at == std::string::npos ? text.substr(text.find("] ") + 2) : text.substr(at);
}

}  // namespace

JsonlReader::JsonlReader(const fs::path& path) : file_(path) {
  const auto bytes = file_.bytes();
  rest_ = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  refuse_other_formats(rest_, path.string());
  if (rest_.starts_with(byte_order_mark)) rest_.remove_prefix(byte_order_mark.size());
}

bool JsonlReader::next(Line& line) {
  while (!rest_.empty()) {
    const std::size_t end = rest_.find('\n');
    std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    ++number_;
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (text.find_first_not_of(blanks) == std::string_view::npos) continue;
    line = {text, number_};
    return true;
  }
  return false;
}

Json parse_record(const Line& line, const Place& place) {
  const std::string_view text = line.text;
  if (const std::size_t valid = valid_utf8_prefix(text); valid < text.size()) {
    fail_record(place,
                fmt::format("byte column {} (0x{:02X}) is not UTF-8", valid + 1,
                            static_cast<unsigned>(static_cast<unsigned char>(text[valid]))),
                {{"column", valid + 1}, {"expected", "UTF-8"}});
  }
  const auto limit_depth = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > max_depth) fail_record(place, fmt::format("values are nested deeper than {} levels", max_depth));
    return true;
  };
  Json record;
  try {
    record = Json::parse(text.begin(), text.end(), limit_depth);
  } catch (const Json::parse_error& error) {
    const std::size_t column = error.byte == 0 ? 1 : error.byte;
    fail_record(place, fmt::format("column {}: no valid JSON: {}{}", column, reason(error), hint(text, column)),
                {{"column", column}, {"expected", "a JSON object"}});
  } catch (const Json::exception& error) {  // a number that no double holds
    fail_record(place, fmt::format("no valid JSON: {}", reason(error)));
  }
  if (!record.is_object()) {
    fail_record(place, fmt::format("column 1: found {}, expected an object{}", describe_type(record), hint(text, 1)),
                {{"column", 1}, {"got", describe_type(record)}, {"expected", "object"}});
  }
  return record;
}

}  // namespace ilt
