// ilt config: the options as JSON Schema, or as the reference page.
#include <cstdio>

#include "cli/commands.h"
#include "cli/flags.h"

namespace ilt_cli {
namespace {

using Json = nlohmann::ordered_json;

// 1 for 1.0.
std::string number_text(const Json& number) {
  const auto text = number.dump();
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

std::string type_text(const Json& schema) {
  if (schema.contains("enum")) {
    std::string text;
    for (const auto& choice : schema["enum"])
      text += (text.empty() ? "" : ", ") + (choice == "" ? "empty" : "`" + choice.get<std::string>() + "`");
    return "one of " + text;
  }
  if (type_of(schema).is_array()) return "string or list of strings";
  const auto& numbers = schema.contains("items") ? schema["items"] : schema;
  std::string text = schema.contains("minItems") ? "list of two numbers, each"
                     : schema.contains("items")  ? "list of numbers, each"
                                                 : type_of(schema).get<std::string>();
  for (const auto& [key, sign] :
       {std::pair("minimum", "≥"), {"exclusiveMinimum", ">"}, {"maximum", "≤"}, {"exclusiveMaximum", "<"}})
    if (numbers.contains(key)) text += std::string(" ") + sign + " " + number_text(numbers[key]);
  return text;
}

std::string default_text(const Json& schema) {
  if (schema.contains("x-required")) return schema["x-required"] == "always" ? "**required**" : "**required** to train";
  const auto& value = schema["default"];
  if (value.is_null()) return "unset";
  return value == "" ? "empty" : "`" + (value.is_string() ? value.get<std::string>() : value.dump()) + "`";
}

void print_option(const std::string& name, const Json& schema) {
  std::printf("- `%s` — %s; %s. %s", name.c_str(), type_text(schema).c_str(), default_text(schema).c_str(),
              schema["description"].get<std::string>().c_str());
  std::string aliases;
  for (const auto& alias : schema.value("x-aliases", Json::array()))
    aliases += (aliases.empty() ? "" : ", ") + ("`" + alias.get<std::string>() + "`");
  if (!aliases.empty()) std::printf(" Also taken: %s.", aliases.c_str());
  const auto theirs = schema.value("x-instructlab", "");
  if (!theirs.empty() && theirs != name) std::printf(" In InstructLab: `%s`.", theirs.c_str());
  std::printf("\n");
}

void print_markdown() {
  std::printf(
      "# Configuration\n\n"
      "<!-- Made by `ilt config --markdown`; a test keeps it so. -->\n\n"
      "The options of a run, as keys of the JSON file that `ilt train --config` and `ilt_config_from_json()` take, as\n"
      "names for `ilt_config_set()` and `--set name=value`, and as flags of `ilt train` with dashes for underscores\n"
      "(`--max-seq-len 2048`; `--no-shuffle` turns a boolean off). Names and defaults follow InstructLab's training\n"
      "library where it has the option. An unknown name is an error, as is an option that would do nothing.\n");
  std::string group;
  for (const auto& [name, schema] : config_properties().items()) {
    if (schema["x-group"] != group) {
      group = schema["x-group"].get<std::string>();
      std::printf("\n## %s\n\n", group.c_str());
    }
    print_option(name, schema);
  }
}

}  // namespace

Command add_config(CLI::App& app) {
  auto* const sub = app.add_subcommand("config", "Print all options as JSON Schema");
  auto markdown = std::make_shared<bool>(false);
  sub->add_flag("--markdown", *markdown, "Print them as the reference page instead");
  return [markdown] {
    if (*markdown)
      print_markdown();
    else
      std::printf("%s\n", ilt_config_schema_json());
    return 0;
  };
}

}  // namespace ilt_cli
