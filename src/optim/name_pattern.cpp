// Matching, and a guess at what a pattern without a match was meant to be.
#include "optim/name_pattern.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "base/error.h"
#include "base/text.h"

namespace ilt {
namespace {

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// "model.layers.*.mlp.up_proj.weight": one name for a tensor that all layers have.
std::string without_numbers(const std::string& name) {
  std::string result;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (!is_digit(name[i])) {
      result += name[i];
    } else if (i == 0 || !is_digit(name[i - 1])) {
      result += '*';
    }
  }
  return result;
}

std::string hint(const std::string& pattern, const std::vector<std::string>& names) {
  std::vector<std::string> general;
  for (const std::string& name : names)
    if (std::string g = without_numbers(name); std::find(general.begin(), general.end(), g) == general.end())
      general.push_back(std::move(g));
  std::string core = without_numbers(pattern);
  core = core.substr(std::min(core.size(), core.find_first_not_of("*.")));
  while (core.ends_with('*') || core.ends_with('.')) core.pop_back();
  std::vector<std::string> near;
  if (!core.empty())
    for (const std::string& g : general)
      if (g.find(core) != std::string::npos) near.push_back(g);
  if (near.empty())
    if (const std::string n = nearest(pattern, general); !n.empty()) near.push_back(n);
  const bool guessed = !near.empty();
  if (!guessed) near = general;
  constexpr std::size_t most = 12;
  const bool cut = near.size() > most;
  near.resize(std::min(near.size(), most));
  return fmt::format("{} {}{}", guessed ? "near it:" : "there are", fmt::join(near, ", "), cut ? ", ..." : "");
}

}  // namespace

// Where a star's first guess fails, the last star takes one character more.
bool matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;
  std::size_t taken = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p, ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::vector<std::size_t> find_names(std::string_view option, const std::string& pattern,
                                    const std::vector<std::string>& names) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (matches(pattern, names[i])) found.push_back(i);
  if (!found.empty()) return found;
  const std::string shown = shortened(pattern);
  const std::string more = hint(shown, names);
  throw Error(Status::config,
              fmt::format("option '{}': got '{}', which is the name of no tensor that it could apply to; {}", option,
                          shown, more),
              {{"key", option}, {"got", shown}, {"expected", more}});
}

}  // namespace ilt
