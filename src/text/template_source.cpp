// A template's places in order: the override, chat_template.jinja, tokenizer_config.json, chat_template.json.
#include "text/template_source.h"

#include <optional>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"

namespace ilt {
namespace {

std::optional<std::string> named_default(const Json& templates, const std::string& file) {
  std::vector<std::string> names;
  for (const Json& entry : templates) {
    if (!entry.is_object() || !entry.contains("name") || !entry.contains("template")) {
      fail(Status::format, "{}: an entry of the list \"chat_template\" is no {{\"name\", \"template\"}}", file);
    }
    names.push_back(entry["name"].get<std::string>());
    if (names.back() == "default") return entry["template"].get<std::string>();
  }
  if (templates.size() == 1) return templates[0]["template"].get<std::string>();
  fail(Status::not_found, "{} has chat templates named {} but none named default; give one with chat_template_path",
       file, Json(names).dump());
}

std::optional<std::string> from_json(const fs::path& file) {
  const Json config = parse_json(read_file(file), file.string());
  if (!config.is_object() || !config.contains("chat_template") || config["chat_template"].is_null()) return {};
  const Json& found = config["chat_template"];
  if (found.is_string()) return found.get<std::string>();
  if (found.is_array() && !found.empty()) return named_default(found, file.string());
  if (found.is_object() && found.contains("default")) return found["default"].get<std::string>();
  fail(Status::format, "{}: \"chat_template\" is {}, expected a string or a list of named templates", file.string(),
       found.type_name());
}

std::optional<std::string> from_file(const fs::path& file) {
  return file.extension() == ".json" ? from_json(file) : read_file(file);
}

}  // namespace

TemplateSource find_template(const fs::path& model_folder, const fs::path& override_file) {
  if (!override_file.empty()) {
    if (auto text = from_file(override_file)) return {std::move(*text), override_file.string()};
    fail(Status::not_found, "{} has no \"chat_template\"", override_file.string());
  }
  for (const char* name : {"chat_template.jinja", "tokenizer_config.json", "chat_template.json"}) {
    const fs::path file = model_folder / name;
    if (!fs::exists(file)) continue;
    if (auto text = from_file(file)) return {std::move(*text), file.string()};
  }
  fail(Status::not_found,
       "{} has no chat template (neither chat_template.jinja nor \"chat_template\" in tokenizer_config.json); "
       "give one with chat_template_path",
       model_folder.string());
}

}  // namespace ilt
