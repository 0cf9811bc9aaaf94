// The metadata of a GGUF file as the config.json and generation_config.json of a Hugging Face folder.
#pragma once

#include "base/json.h"
#include "weights/dtype.h"
#include "weights/gguf/architecture.h"
#include "weights/gguf/file.h"

namespace ilt {

// Throws unsupported where general.architecture is not one that libilt knows, or the file is no whole model.
const GgufArchitecture& gguf_architecture(const GgufContent& content);

// Throws format where a key is missing, of another type or at odds with the tensors; unsupported, naming the key, where
// one asks for what libilt does not know.
Json gguf_config(const GgufContent& content);
Json gguf_generation_config(const GgufMetadata& metadata);

// The element type of exported weights: that of the matrices where they have one of F32, F16 and BF16, else BF16, as
// which quantised models were published.
DType gguf_export_dtype(const GgufContent& content);

}  // namespace ilt
