// Writing a stored model as a GGUF file, for llama.cpp and what is built on it.
#pragma once

#include <filesystem>

#include "weights/gguf/types.h"
#include "weights/model_source.h"

namespace ilt {

// Matrices as `type` (F32, F16, BF16 or Q8_0; rows that Q8_0's blocks do not divide as F16), vectors as F32, as
// llama.cpp's converter has them; the file appears whole or not at all. Throws unsupported, naming it, for what GGUF or
// llama.cpp has no place for: the file would mean another model. A weight that is not finite is refused (numeric).
void export_gguf(const ModelSource& source, const std::filesystem::path& destination, GgufTensorType type);

}  // namespace ilt
