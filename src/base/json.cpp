// JSON parsing with a place in every error, and one-line output.
#include "base/json.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace ilt {
namespace {

constexpr int max_depth = 128;

struct Place {
  std::size_t line;
  std::size_t column;
};

Place place_of(std::string_view text, std::size_t byte) {
  const auto before = text.substr(0, std::min(byte, text.size()));
  const auto newline = before.rfind('\n');
  const auto column = newline == std::string_view::npos ? before.size() + 1 : before.size() - newline;
  return {static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1, column};
}

[[noreturn]] void fail_at(std::string_view text, std::size_t byte, const std::string& where, std::string_view reason) {
  const auto [line, column] = place_of(text, byte);
  throw Error(Status::format, fmt::format("{}: not valid JSON at line {}, column {}: {}", where, line, column, reason),
              {{"source", where}, {"line", line}, {"column", column}});
}

// nlohmann's text without its own prefix: "[json.exception.parse_error.101] parse error at line 1, column 2: ".
std::string reason_of(const nlohmann::json::exception& error) {
  const std::string what = error.what();
  for (const std::string_view mark : {"column ", "] "}) {
    const auto at = what.find(mark);
    const auto colon = at == std::string::npos ? at : what.find(mark == "column " ? ": " : "] ", at);
    if (colon != std::string::npos) return what.substr(colon + 2);
  }
  return what;
}

// Counted before parsing: whoever walks the value later may recurse without fear.
void check_depth(std::string_view text, const std::string& where) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > max_depth) fail_at(text, i, where, fmt::format("nested deeper than {} levels", max_depth));
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
}

}  // namespace

Json parse_json(std::string_view text, const std::string& where) {
  check_depth(text, where);
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    fail_at(text, error.byte > 0 ? error.byte - 1 : 0, where, reason_of(error));
  } catch (const nlohmann::json::exception& error) {
    fail_at(text, 0, where, reason_of(error));
  }
}

std::string to_line(const Json& value) {
  return value.dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace ilt
