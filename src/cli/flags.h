// Command-line flags made from libilt's option schema.
#pragma once

#include <CLI/CLI.hpp>
#include <list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/client.h"

namespace ilt_cli {

const nlohmann::ordered_json& config_properties();

// The schema's type, whether or not the option may be unset (null) as well.
nlohmann::ordered_json type_of(const nlohmann::ordered_json& schema);

// "--model-path" for "model_path".
std::string flag_of(std::string option);

class ConfigFlags {
 public:
  // Flags for the named options, or for all where none are named; and --config, --set.
  ConfigFlags(CLI::App& app, const std::vector<std::string>& only = {});

  // The file's options, then the flags', then those of --set.
  Config build() const;

 private:
  struct Flag {
    std::string option;
    bool is_list = false;  // of strings
    bool is_numbers = false;
    bool is_switch = false;  // --x, --no-x
    bool on = false;
    std::vector<std::string> values = {};
    CLI::Option* given = nullptr;
  };
  void add(CLI::App& app, const std::string& option, const nlohmann::ordered_json& schema);
  static std::string text(const Flag& flag);

  std::list<Flag> flags_;  // CLI11 keeps references
  std::string config_file_;
  std::vector<std::string> settings_;
};

// The value of an option as text (lists as JSON).
std::string config_value(const ilt_config* config, const std::string& option);

// Throws Usage naming the flag of the first option that is needed for training and not set.
void require_training_options(const ilt_config* config);

// The message for arguments that no flag of the command takes: names the nearest one where one is near.
std::string unknown_flag(const std::string& argument, const CLI::App& command);

// A whole file, or what comes through a pipe that somebody writes to.
std::string read_text_file(const std::string& path);

// JSON text; throws Usage, naming `what`, where a string is not UTF-8.
std::string to_json(const nlohmann::ordered_json& value, const std::string& what);

}  // namespace ilt_cli
