// Patterns over the names of a checkpoint's tensors: * stands for any characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ilt {

bool matches(std::string_view pattern, std::string_view name);

// The places in `names` of those that match. Throws config, with the option and near names, where none does.
std::vector<std::size_t> find_names(std::string_view option, const std::string& pattern,
                                    const std::vector<std::string>& names);

}  // namespace ilt
