// Small help with words: the nearest of a list, for errors that guess what was meant; text that is fit for one line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ilt {

// The number of single-character edits (Levenshtein).
std::size_t edit_distance(std::string_view a, std::string_view b);

// The nearest of `known` within a third of the longer one's length (one edit for short words), else "".
std::string nearest(std::string_view word, const std::vector<std::string>& known);
// " (did you mean 'x'?)" for it, or "".
std::string nearest_hint(std::string_view word, const std::vector<std::string>& known);

bool is_utf8(std::string_view text);

// At most about `longest` bytes, cut between characters and ended with "..." where it was longer: for what messages
// quote of outside text.
std::string shortened(std::string_view text, std::size_t longest = 200);

// Valid UTF-8 on one line of bounded length, whatever went into it: line breaks become blanks, other control characters
// (which a terminal would obey) are spelled out as \x1b.
std::string one_line(std::string_view text);

}  // namespace ilt
