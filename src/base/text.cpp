// Edit distance and the nearest word; text for messages.
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/json.h"

namespace ilt {
namespace {

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80;
}

// What is not UTF-8 replaced.
std::string as_utf8(const std::string& text) {
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, change});
    }
  }
  return row.back();
}

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  std::string_view best;
  std::size_t least = word.size() + 1;
  for (const std::string& candidate : known) {
    const auto [shorter, longer] = std::minmax({word.size(), candidate.size()});  // values: the sizes are temporaries
    const std::size_t most = std::max<std::size_t>(1, longer / 3);
    if (longer - shorter > most) continue;  // a word from outside may be very long
    const std::size_t distance = edit_distance(word, candidate);
    if (distance <= most && distance < least) least = distance, best = candidate;
  }
  return std::string(best);
}

std::string nearest_hint(std::string_view word, const std::vector<std::string>& known) {
  const std::string best = nearest(word, known);
  return best.empty() ? "" : " (did you mean '" + best + "'?)";
}

bool is_utf8(std::string_view text) {
  try {
    static_cast<void>(Json(text).dump());
    return true;
  } catch (const Json::exception&) {
    return false;
  }
}

std::string shortened(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return std::string(text);
  std::size_t end = longest;
  while (end > 0 && is_continuation(text[end])) --end;
  return std::string(text.substr(0, end)) + "...";
}

std::string one_line(std::string_view text) {
  constexpr std::size_t longest = 4000;
  text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  std::string line;
  for (const std::string valid = as_utf8(shortened(text, longest)); const char c : valid) {
    const auto byte = static_cast<unsigned char>(c);
    const bool after_c2 = !line.empty() && line.back() == '\xc2';
    if (c == '\n' || c == '\t') {
      line += ' ';
    } else if (byte < 0x20 || byte == 0x7f) {
      line += fmt::format("\\x{:02x}", byte);
    } else if (after_c2 && byte < 0xa0) {  // U+0080 to U+009F: control characters, too
      line.pop_back();
      line += fmt::format("\\x{:02x}", byte);
    } else {
      line += c;
    }
  }
  return line;
}

}  // namespace ilt
