// A mark is three parts: an opening character, the decimal number message * 3 + field, a closing character; both
// characters are from Unicode's private use area, which no template looks for and nothing strips.
#include "data/marks.h"

#include <charconv>

#include "base/error.h"

namespace ilt {
namespace {

constexpr std::string_view blanks = " \t\r\n\v\f";

// U+E000 + index, as UTF-8.
std::string private_character(unsigned index) {
  return {static_cast<char>(0xEE), static_cast<char>(0x80 + index / 64), static_cast<char>(0x80 + index % 64)};
}

std::size_t leading_blanks(const std::string& text) {
  const auto first = text.find_first_not_of(blanks);
  return first == std::string::npos ? text.size() : first;
}

std::size_t past_last_nonblank(const std::string& text) {
  const auto last = text.find_last_not_of(blanks);
  return last == std::string::npos ? text.size() : last + 1;
}

}  // namespace

Marks::Marks(const std::string& text) {
  for (unsigned first = 0x2A0; first + 3 <= 0x300; first += 3) {
    open_ = private_character(first);
    before_ = private_character(first + 1);
    after_ = private_character(first + 2);
    const auto holds = [&](const std::string& c) { return text.find(c) != std::string::npos; };
    if (!holds(open_) && !holds(before_) && !holds(after_)) return;
  }
  fail(Status::data, "the text holds all private-use characters that mark messages (U+E2A0 to U+E2FF)");
}

std::string Marks::mark(std::size_t message, Field field, bool at_end) const {
  return open_ + std::to_string(message * 3 + static_cast<std::size_t>(field)) + (at_end ? after_ : before_);
}

void Marks::around(Json& value, std::size_t message, Field field, Placement placement) const {
  auto& text = value.get_ref<std::string&>();
  const bool outside = placement == Placement::outside_blanks;
  text.insert(outside ? text.size() : past_last_nonblank(text), mark(message, field, true));
  if (placement != Placement::only_after) text.insert(outside ? 0 : leading_blanks(text), mark(message, field, false));
}

Json Marks::put(const Json& messages, const std::vector<bool>& wanted, Placement placement) const {
  Json marked = messages;
  for (std::size_t i = 0; i < marked.size(); ++i) {
    if (!wanted[i]) continue;
    Json& message = marked[i];
    if (message.contains("content")) around(message["content"], i, Field::content, placement);
    for (const char* key : {"reasoning_content", "thinking", "reasoning"}) {
      if (message.contains(key)) around(message[key], i, Field::reasoning, placement);
    }
    if (!message.contains("tool_calls")) continue;
    for (Json& call : message["tool_calls"]) {
      if (!call.is_object()) continue;
      Json& named = call.contains("function") && call["function"].is_object() ? call["function"] : call;
      if (named.contains("name") && named["name"].is_string()) {
        named["name"].get_ref<std::string&>() += mark(i, Field::call, true);
      }
    }
  }
  return marked;
}

std::optional<Marked> Marks::take(const std::string& rendered) const {
  Marked result;
  std::size_t from = 0;
  for (std::size_t at; (at = rendered.find(open_, from)) != std::string::npos;) {
    result.text.append(rendered, from, at - from);
    std::size_t number = 0;
    const char* const end = rendered.data() + rendered.size();
    const auto [stop, error] = std::from_chars(rendered.data() + at + open_.size(), end, number);
    const std::string_view close(stop, std::min(after_.size(), static_cast<std::size_t>(end - stop)));
    if (error != std::errc() || (close != before_ && close != after_)) return std::nullopt;
    result.anchors.push_back({number / 3, static_cast<Field>(number % 3), close == after_, result.text.size()});
    from = static_cast<std::size_t>(stop - rendered.data()) + close.size();
  }
  result.text.append(rendered, from);
  return result;
}

}  // namespace ilt
