// Where a model keeps its chat template, and which of several it means.
#pragma once

#include <filesystem>
#include <string>

#include "base/file_set.h"

namespace ilt {

struct TemplateSource {
  std::string text;
  std::string origin;  // for messages: the file, and the template's name where it has one
};

// Throws not_found where there is none, saying where it was looked for and how to give one.
TemplateSource find_template(const FileSet& model, const std::filesystem::path& override_file);

}  // namespace ilt
