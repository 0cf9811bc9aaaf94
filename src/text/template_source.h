// Where a model folder keeps its chat template, and which of several it means.
#pragma once

#include <filesystem>
#include <string>

namespace ilt {

struct TemplateSource {
  std::string text;
  std::string origin;  // for messages: the file, and the template's name where it has one
};

// Throws not_found where there is none, saying where it was looked for and how to give one.
TemplateSource find_template(const std::filesystem::path& model_folder, const std::filesystem::path& override_file);

}  // namespace ilt
