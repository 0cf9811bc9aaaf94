// The check of every value that is written.
#include "weights/finite.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace ilt {

float overflow_of(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return 65520.0F;
    case DType::bf16:
      return 0x1.ffp127F;
    default:
      return std::numeric_limits<float>::infinity();
  }
}

void require_finite(const std::string& tensor, std::string_view type, float limit, std::span<const float> values,
                    std::size_t first) {
  bool good = true;
  for (const float v : values) good &= std::fabs(v) < limit;  // false for NaN
  if (good) return;
  const auto bad = std::find_if(values.begin(), values.end(), [&](float v) { return !(std::fabs(v) < limit); });
  const std::size_t index = first + static_cast<std::size_t>(bad - values.begin());
  const std::string advice = std::isfinite(*bad) ? "save in a wider type, such as BF16 or F32"
                                                 : "go back to an earlier checkpoint, with a lower learning rate";
  throw Error(Status::numeric,
              fmt::format("'{}' holds a value that is not finite in {} ({}, at {}), so the model is not saved; {}",
                          tensor, type, *bad, index, advice),
              {{"tensor", tensor}, {"index", index}, {"got", fmt::format("{}", *bad)}});
}

}  // namespace ilt
