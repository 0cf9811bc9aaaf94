// MXFP4: blocks of 32 four-bit floats with a common power of two, as gpt-oss stores its experts.
//
// OCP Microscaling Formats (MX) Specification 1.0, sections 5.3.3 (E2M1) and 5.4.1 (E8M0). A matrix [out, in] is a
// tensor NAME_blocks, U8 [..., out, in / 32, 16], two values a byte, the lower half first, and NAME_scales, U8 [...,
// out, in / 32]. transformers' gpt-oss holds the matrices transposed, [..., in, out]; that is how they are given here.
#pragma once

#include <span>
#include <string>

#include "base/json.h"
#include "weights/safetensors.h"

namespace ilt {

// Whether config.json says that some of the weights are stored so.
bool is_mxfp4(const Json& config);

inline constexpr std::string_view mxfp4_blocks = "_blocks";
inline constexpr std::string_view mxfp4_scales = "_scales";

// Of the tensor that blocks and scales stand for, in bfloat16, which holds every value of theirs. Throws format, with
// the name, where their types or shapes do not belong together.
TensorInfo mxfp4_info(const std::string& name, const TensorInfo& blocks, const TensorInfo& scales);

void read_mxfp4(const TensorView& blocks, const TensorView& scales, std::span<float> out);

}  // namespace ilt
