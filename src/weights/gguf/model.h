// A GGUF file as a model: what a Hugging Face folder would hold of it.
#pragma once

#include "weights/model_source.h"

namespace ilt {

// Whether the path is a file in this format, by its name or its first bytes.
bool is_gguf_file(const std::filesystem::path& path);

// Weights under Hugging Face's names and in its order of rows, dequantised as they are read; config.json and the
// tokenizer's files are made from the metadata. Throws format, and unsupported for what libilt does not know.
ModelSource open_gguf_model(const std::filesystem::path& path);

// The files alone: config.json, generation_config.json, tokenizer.json, tokenizer_config.json.
std::shared_ptr<const FileSet> open_gguf_files(const std::filesystem::path& path);

}  // namespace ilt
