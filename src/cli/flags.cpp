// Flags from the schema, and a configuration from file and flags.
#include "cli/flags.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <numeric>
#include <system_error>

namespace ilt_cli {

using Json = nlohmann::ordered_json;

namespace {

// "model_path" for "model-path".
std::string option_of(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// Levenshtein's.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const auto changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

const Json& config_properties() {
  static const Json schema = Json::parse(ilt_config_schema_json());
  return schema["properties"];
}

std::string flag_of(std::string option) {
  std::replace(option.begin(), option.end(), '_', '-');
  return "--" + option;
}

Json type_of(const Json& schema) {
  const auto& type = schema["type"];
  return type.is_array() && type.back() == "null" ? type.front() : type;
}

ConfigFlags::ConfigFlags(CLI::App& app, const std::vector<std::string>& only) {
  for (const auto& [name, schema] : config_properties().items())
    if (only.empty() || std::find(only.begin(), only.end(), name) != only.end()) add(app, name, schema);
  app.add_option("--config", config_file_, "JSON file with options by name; flags override it")
      ->type_name("FILE")
      ->group("Configuration");
  app.add_option("--set", settings_, "Sets an option by its name; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->group("Configuration");
}

void ConfigFlags::add(CLI::App& app, const std::string& option, const Json& schema) {
  const auto type = type_of(schema);
  auto& flag = flags_.emplace_back();
  flag.option = option;
  flag.is_switch = type == "boolean";
  flag.is_list = type.is_array();
  flag.is_numbers = type == "array";
  std::string names = flag_of(option);
  for (const auto& alias : schema.value("x-aliases", Json::array())) names += "," + flag_of(alias.get<std::string>());
  const auto description = schema["description"].get<std::string>();
  if (flag.is_switch) {
    flag.given = app.add_flag(names + ",!" + flag_of("no_" + option), flag.on, description);
  } else {
    flag.given = app.add_option(names, flag.values, description)->allow_extra_args(false)->expected(1);
    if (schema.contains("minItems")) flag.given->expected(schema["minItems"].get<int>());
    const bool may_repeat = flag.is_list || (type == "array" && !schema.contains("minItems"));
    if (may_repeat) flag.given->take_all();
    std::string kind = flag.is_list      ? (option.ends_with("_path") ? "PATH" : "TEXT")
                       : type == "array" ? "NUMBER"
                                         : type.get<std::string>();
    std::transform(kind.begin(), kind.end(), kind.begin(), [](unsigned char c) { return std::toupper(c); });
    flag.given->type_name(kind);
    if (schema.contains("enum")) {
      std::string choices;
      for (const auto& choice : schema["enum"])
        if (choice != "") choices += (choices.empty() ? "" : "|") + choice.get<std::string>();
      flag.given->type_name(choices);
    }
  }
  if (schema.contains("default") && schema["default"] != "" && !schema["default"].is_null())
    flag.given->default_str(schema["default"].is_string() ? schema["default"].get<std::string>()
                                                          : schema["default"].dump());
  flag.given->group(schema["x-group"].get<std::string>());
}

std::string ConfigFlags::text(const Flag& flag) {
  if (flag.is_switch) return flag.on ? "true" : "false";
  if (flag.values.size() == 1 && (!flag.is_numbers || flag.values[0].starts_with('['))) return flag.values[0];
  if (flag.is_list) return to_json(flag.values, flag_of(flag.option));
  std::string list;  // of numbers, whose text libilt checks
  for (const auto& value : flag.values) list += (list.empty() ? "[" : ",") + value;
  return list + "]";
}

Config ConfigFlags::build() const {
  Config config;
  if (config_file_.empty()) {
    config = make<Config>(ilt_config_create);
  } else {
    const auto text = read_text_file(config_file_);
    try {
      config = make<Config>(ilt_config_from_json, text.data(), text.size());
    } catch (const Failure& failure) {
      throw Failure(failure.status, config_file_ + ": " + failure.what());
    }
  }
  for (const auto& flag : flags_)
    if (flag.given->count() > 0) call(ilt_config_set, config.get(), flag.option.c_str(), text(flag).c_str());
  for (const auto& setting : settings_) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos) throw Usage("--set takes NAME=VALUE, as in --set seed=7; got '" + setting + "'");
    call(ilt_config_set, config.get(), setting.substr(0, equals).c_str(), setting.substr(equals + 1).c_str());
  }
  return config;
}

std::string config_value(const ilt_config* config, const std::string& option) {
  char* raw = nullptr;
  call(ilt_config_get, config, option.c_str(), &raw);
  return Memory<char>(raw).get();
}

void require_training_options(const ilt_config* config) {
  const auto unset = make<Config>(ilt_config_create);
  for (const auto& [name, schema] : config_properties().items())
    if (schema.contains("x-required") && config_value(config, name) == config_value(unset.get(), name))
      throw Usage("give " + flag_of(name) + " (" + schema["description"].get<std::string>() + ")");
}

std::string unknown_flag(const std::string& argument, const CLI::App& command) {
  if (argument.rfind("--", 0) != 0) return "unexpected argument '" + argument + "'";
  const auto name = argument.substr(2, argument.find('=') - 2);
  if (config_properties().contains(option_of(name))) return "this command does not take --" + name;
  std::string best;
  std::size_t least = name.size() + 1;
  for (const auto* option : command.get_options()) {
    for (const auto& known : option->get_lnames()) {
      const auto [shorter, longer] = std::minmax({name.size(), known.size()});
      const std::size_t most = std::max<std::size_t>(1, longer / 3);  // libilt's own rule for options
      if (longer - shorter > most) continue;
      const auto distance = edit_distance(name, known);
      if (distance <= most && distance < least) least = distance, best = known;
    }
  }
  return "unknown flag --" + name + (best.empty() ? "" : "; did you mean --" + best + "?");
}

std::string read_text_file(const std::string& path) {
  const auto fail = [&] {
    throw std::runtime_error("cannot read '" + path + "': " + std::generic_category().message(errno));
  };
  // A pipe that nobody writes to is at its end, and not waited for.
  const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) fail();
  const std::unique_ptr<const int, void (*)(const int*)> closed(&fd, [](const int* file) { ::close(*file); });
  std::string text;
  std::array<char, 1 << 16> chunk{};
  while (true) {
    const auto n = ::read(fd, chunk.data(), chunk.size());
    if (n == 0) return text;
    if (n > 0) {
      text.append(chunk.data(), static_cast<std::size_t>(n));
    } else if (errno == EAGAIN) {
      pollfd wait{fd, POLLIN, 0};
      ::poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      fail();
    }
  }
}

std::string to_json(const Json& value, const std::string& what) {
  try {
    return value.dump();
  } catch (const Json::exception&) {
    throw Usage(what + " is not UTF-8");
  }
}

}  // namespace ilt_cli
