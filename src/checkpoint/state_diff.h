// How two full states differ: counters, options, data, and each tensor.
#pragma once

#include <filesystem>

#include "base/json.h"

namespace ilt {

// {"equal", "run": {name: [a, b]}, "options": {name: [a, b]}, "tensors": [{"file", "name", "max_abs", "relative"},
// ...], "same_tensors": count}. Only what differs is listed. max_abs is the largest difference, relative the norm of
// the difference over that of a; both null where shape or type differ or the tensor is in one of them only, which
// "only_in"
// ("a" or "b") then says. Reads tensor by tensor. Throws what reading the states throws.
Json diff_states(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace ilt
