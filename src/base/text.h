// Small help with words: the nearest of a list, for errors that guess what was meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ilt {

// The number of single-character edits (Levenshtein).
std::size_t edit_distance(std::string_view a, std::string_view b);

// " (did you mean 'x'?)" for the nearest of `known` within a third of the word's length, else "".
std::string nearest_hint(std::string_view word, const std::vector<std::string>& known);

}  // namespace ilt
