// The special tokens that a Hugging Face model names (bos_token, eos_token, ...): names to text.
#pragma once

#include "base/file_set.h"
#include "base/json.h"

namespace ilt {

// An object of strings (additional_special_tokens: an array of them), as templates get them for variables. From
// tokenizer_config.json; a name that it lacks comes from special_tokens_map.json. Empty where there is neither file.
Json special_tokens(const FileSet& files);

}  // namespace ilt
