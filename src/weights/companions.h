// The files of a model beside its weights: tokenizer, chat template, generation config, licence.
#pragma once

#include <string>
#include <vector>

#include "base/file_set.h"

namespace ilt {

// What an export copies: plain files that are neither config.json, weights of any format, their index, nor hidden;
// those above 64 MB only if they are a tokenizer's. What is left out and is no weights file is logged, also what cannot
// be read, unless the model needs it (a tokenizer, a configuration, a template). Throws not_found or io.
std::vector<std::string> companion_files(const FileSet& files);

}  // namespace ilt
