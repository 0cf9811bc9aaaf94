// A template's places in order: the override, chat_template.jinja, tokenizer_config.json, chat_template.json.
#include "text/template_source.h"

#include <optional>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

namespace ilt {
namespace {

std::string string_of(const Json& value, const std::string& what, const std::string& file) {
  if (value.is_string()) return value.get<std::string>();
  throw Error(Status::format, fmt::format("{}: {} is {}, expected a string", file, what, value.type_name()),
              {{"file", file}, {"got", value.type_name()}, {"expected", "a string"}});
}

std::optional<std::string> named_default(const Json& templates, const std::string& file) {
  std::vector<std::string> names;
  for (const Json& entry : templates) {
    if (!entry.is_object() || !entry.contains("name") || !entry.contains("template")) {
      fail(Status::format, "{}: an entry of the list \"chat_template\" is no {{\"name\", \"template\"}}", file);
    }
    names.push_back(string_of(entry["name"], "a name in \"chat_template\"", file));
    if (names.back() == "default") return string_of(entry["template"], "the template \"default\"", file);
  }
  if (templates.size() == 1) return string_of(templates[0]["template"], "the template in \"chat_template\"", file);
  throw Error(Status::not_found,
              fmt::format("{} has chat templates named {} but none named default; give one with chat_template_path",
                          file, shortened(to_line(Json(names)))),
              {{"file", file}, {"templates", names}});
}

std::optional<std::string> from_json(const std::string& text, const std::string& file) {
  const Json config = parse_json(text, file);
  if (!config.is_object() || !config.contains("chat_template") || config["chat_template"].is_null()) return {};
  const Json& found = config["chat_template"];
  if (found.is_string()) return found.get<std::string>();
  if (found.is_array() && !found.empty()) return named_default(found, file);
  if (found.is_object() && found.contains("default"))
    return string_of(found["default"], "the template \"default\"", file);
  fail(Status::format, "{}: \"chat_template\" is {}, expected a string or a list of named templates", file,
       found.type_name());
}

std::optional<std::string> from_file(const FileSet& files, const std::string& name) {
  std::string text = files.read(name);
  if (fs::path(name).extension() == ".json") return from_json(text, files.place(name));
  return text;
}

}  // namespace

TemplateSource find_template(const FileSet& model, const fs::path& override_file) {
  if (!override_file.empty()) {
    const FolderFiles folder(override_file.parent_path());
    if (auto text = from_file(folder, override_file.filename().string()))
      return {std::move(*text), override_file.string()};
    fail(Status::not_found, "{} has no \"chat_template\"", override_file.string());
  }
  for (const char* name : {"chat_template.jinja", "tokenizer_config.json", "chat_template.json"}) {
    if (!model.has(name)) continue;
    if (auto text = from_file(model, name)) return {std::move(*text), model.place(name)};
  }
  fail(Status::not_found,
       "{} has no chat template (neither chat_template.jinja nor \"chat_template\" in tokenizer_config.json); "
       "give one with chat_template_path",
       model.place());
}

}  // namespace ilt
