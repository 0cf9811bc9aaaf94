// Weights that are written must be finite, and stay so in the type that they are written in.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "weights/dtype.h"

namespace ilt {

// The least magnitude that becomes infinite when it is rounded to the type.
float overflow_of(DType dtype);

// Throws numeric, naming the tensor, the first value that is not below `limit` and its place. `first` is the place of
// values[0] in the tensor; `type` names what is written.
void require_finite(const std::string& tensor, std::string_view type, float limit, std::span<const float> values,
                    std::size_t first);

}  // namespace ilt
