// The model families: each turns a Hugging Face config.json into a decoder description.
#pragma once

#include "base/json.h"
#include "model/spec.h"

namespace ilt {

// Finds the family by config.json's architectures (or model_type) and reads the description.
// Throws unsupported, with the known ones, for an architecture or a feature that libilt lacks: never approximates.
DecoderSpec read_spec(const Json& config);

DecoderSpec llama_spec(const Json& config);

}  // namespace ilt
