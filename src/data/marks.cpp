// A mark is three parts: an opening character, a decimal number for message and field, a closing character; both
// characters are from Unicode's private use area, which no template looks for and nothing strips.
#include "data/marks.h"

#include <algorithm>
#include <charconv>

#include "base/error.h"

namespace ilt {
namespace {

constexpr std::string_view blanks = " \t\r\n\v\f";
// The number of a mark is message * most_fields + (0 content, 1 reasoning, 2 + i the i-th call).
constexpr std::size_t most_fields = 1024;

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

std::string Marks::mark(const Anchor& anchor) const {
  const std::size_t field = static_cast<std::size_t>(anchor.field) + anchor.call;
  return open_ + std::to_string(anchor.message * most_fields + field) + (anchor.at_end ? after_ : before_);
}

void Marks::around(Json& value, std::size_t message, Field field, Placement placement) const {
  auto& text = value.get_ref<std::string&>();
  if (text.empty() && !placement.in_empty) return;
  const bool outside = placement.where == Placement::outside_blanks;
  text.insert(outside ? text.size() : past_last_nonblank(text),
              mark({.message = message, .field = field, .at_end = true}));
  if (placement.where != Placement::only_after)
    text.insert(outside ? 0 : leading_blanks(text), mark({.message = message, .field = field}));
}

void Marks::after_names(Json& calls, std::size_t message) const {
  for (std::size_t i = 0; i < std::min(calls.size(), most_fields - 2); ++i) {
    Json& call = calls[i];
    if (!call.is_object()) continue;
    Json& named = call.contains("function") && call["function"].is_object() ? call["function"] : call;
    if (named.contains("name") && named["name"].is_string()) {
      named["name"].get_ref<std::string&>() +=
          mark({.message = message, .field = Field::call, .call = i, .at_end = true});
    }
  }
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
    if (message.contains("tool_calls")) after_names(message["tool_calls"], i);
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
    const std::size_t field = number % most_fields;
    const std::size_t call = field < 2 ? 0 : field - 2;
    result.anchors.push_back(
        {number / most_fields, static_cast<Field>(field - call), call, close == after_, result.text.size()});
    from = static_cast<std::size_t>(stop - rendered.data()) + close.size();
  }
  result.text.append(rendered, from);
  return result;
}

}  // namespace ilt
