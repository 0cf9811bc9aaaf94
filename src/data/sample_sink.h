// Where samples go as they are made, in order.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

namespace ilt {

using SampleSink = std::function<void(std::span<const std::int32_t> ids, std::span<const std::int32_t> labels)>;

}  // namespace ilt
