// Turns and token offsets to a mask.
#include "data/mask.h"

#include <algorithm>
#include <string_view>

namespace ilt {
namespace {

constexpr std::string_view blanks = " \t\r\n\v\f";

class Tokens {
 public:
  Tokens(const Encoding& encoding, const Tokenizer& tokenizer) : encoding_(encoding), tokenizer_(tokenizer) {}

  std::size_t size() const { return encoding_.ids.size(); }
  std::size_t begin(std::size_t i) const { return encoding_.offsets[i].first; }
  std::size_t end(std::size_t i) const { return encoding_.offsets[i].second; }
  bool special(std::size_t i) const { return tokenizer_.is_special(encoding_.ids[i]); }

  // The first token that begins at or after the byte.
  std::size_t at(std::size_t byte) const {
    const auto& offsets = encoding_.offsets;
    const auto first = std::partition_point(offsets.begin(), offsets.end(),
                                            [byte](const auto& offset) { return offset.first < byte; });
    return static_cast<std::size_t>(first - offsets.begin());
  }

  // Past the first special token in [from, to) and, with `all`, those right after it; or `from`.
  std::size_t past_special(std::size_t from, std::size_t to, bool all) const {
    std::size_t i = at(from);
    while (i < size() && begin(i) < to && !special(i)) ++i;
    if (i >= size() || begin(i) >= to) return from;
    std::size_t past = end(i);
    for (++i; all && i < size() && begin(i) == past && begin(i) < to && special(i); ++i) past = end(i);
    return past;
  }

 private:
  const Encoding& encoding_;
  const Tokenizer& tokenizer_;
};

std::size_t find_terminator_end(const Turn& turn, const std::string& text, const Tokens& tokens) {
  if (!turn.ends_with_call || !turn.tail_is_exact) {
    const auto past = tokens.past_special(turn.end, turn.tail_end, turn.tail_is_exact);
    if (past > turn.end) return past;
    if (!turn.tail_is_exact) return turn.end;
  }
  const std::string_view tail = std::string_view(text).substr(turn.end, turn.tail_end - turn.end);
  const auto last = tail.find_last_not_of(blanks);
  const bool closes_itself = last != std::string_view::npos &&
                             (!turn.ends_with_call || tokens.past_special(turn.end, turn.tail_end, true) > turn.end);
  if (closes_itself) return turn.end + last + 1;
  const std::size_t next = tokens.at(turn.tail_end);
  if (next < tokens.size() && tokens.special(next)) return tokens.end(next);
  return last != std::string_view::npos ? turn.end + last + 1 : turn.tail_end;
}

// Whether the token's part before `byte` is blank and holds no line break: then it is the text's own leading blank.
bool only_blank_before(const std::string& text, std::size_t token_begin, std::size_t byte) {
  return text.find_first_not_of(" \t", token_begin) >= byte;
}

void learn(std::vector<bool>& learnt, const Tokens& tokens, const std::string& text, std::size_t begin,
           std::size_t end) {
  std::size_t i = tokens.at(begin);
  if (i > 0 && tokens.begin(i - 1) < begin && tokens.end(i - 1) > begin &&
      only_blank_before(text, tokens.begin(i - 1), begin)) {
    --i;
  }
  for (; i < tokens.size() && tokens.begin(i) < end; ++i) learnt[i] = true;
}

}  // namespace

Mask mask_tokens(const std::vector<Turn>& turns, const std::string& text, const Encoding& encoding,
                 const Tokenizer& tokenizer) {
  const Tokens tokens(encoding, tokenizer);
  Mask mask;
  mask.learnt.assign(encoding.ids.size(), false);
  for (const Turn& turn : turns) {
    std::size_t end = turn.end;
    if (turn.by_assistant) {
      end = find_terminator_end(turn, text, tokens);
      ++mask.assistant_turns;
      if (end == turn.end) {
        ++mask.unterminated;
      } else {
        mask.terminator = text.substr(turn.end, end - turn.end);
      }
    }
    learn(mask.learnt, tokens, text, turn.begin, end);
  }
  return mask;
}

}  // namespace ilt
