// A Hugging Face model folder: config.json, weights in one or several safetensors files, tokenizer files.
#pragma once

#include "weights/model_source.h"

namespace ilt {

// Reads config.json and maps model.safetensors or the files that model.safetensors.index.json names.
ModelSource open_model_folder(const std::filesystem::path& path);

}  // namespace ilt
