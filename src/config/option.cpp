// Options: finding them by name, checking and storing values, reading them back.
#include "config/option.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "base/error.h"
#include "base/text.h"

namespace ilt {
namespace {

template <typename... F>
struct Overload : F... {
  using F::operator()...;
};

// JSON's own numbers are exact up to here in every language.
constexpr std::int64_t largest_integer = std::int64_t{1} << 53;

// The name of the option that `key` is near to; empty where none is.
std::string nearest_name(OptionTable table, std::string_view key) {
  std::vector<std::string> spellings;
  for (const auto& option : table) {
    spellings.emplace_back(option.name);
    spellings.insert(spellings.end(), option.aliases.begin(), option.aliases.end());
  }
  const std::string spelling = nearest(key, spellings);
  return spelling.empty() ? "" : std::string(find_option(table, spelling).name);
}

[[noreturn]] void refuse(const Option& option, const void* owner, const std::string& value,
                         const std::string& more = "") {
  const auto got = shortened(value);
  const auto expected = expectation(option, owner) + more;
  throw Error(Status::config, fmt::format("option '{}': got {}, expected {}", option.name, got, expected),
              {{"key", option.name}, {"got", got}, {"expected", expected}});
}

bool within(const Bounds& bounds, double value) {
  return (bounds.open_min ? value > bounds.min : value >= bounds.min) &&
         (bounds.open_max ? value < bounds.max : value <= bounds.max);
}

// The checks of one value against one option: each function gives the value or refuses it.
struct Check {
  const Option& option;
  const void* owner;
  const Json& whole;

  [[noreturn]] void fail() const { refuse(option, owner, to_line(whole)); }

  double number(const Json& value) const {
    if (!value.is_number()) fail();
    const auto number = value.get<double>();
    if (!std::isfinite(number) || !within(option.bounds, number)) fail();
    return number;
  }
  template <typename T>
  T integer(const Json& value) const {
    // 1e3 and 8.0 are integers, too: JSON writers of other languages make no difference.
    const double number = this->number(value);
    if (std::trunc(number) != number) fail();
    const bool exact = std::is_unsigned_v<T> && value.is_number_unsigned();
    if (!exact && std::abs(number) > static_cast<double>(largest_integer))
      refuse(option, owner, to_line(whole), fmt::format(" and <= {}", largest_integer));
    if (std::is_unsigned_v<T> && number < 0) fail();
    if (value.is_number_float()) return static_cast<T>(number);
    if (value.is_number_unsigned() ? !std::in_range<T>(value.get<std::uint64_t>())
                                   : !std::in_range<T>(value.get<std::int64_t>()))
      fail();
    return value.get<T>();
  }
  std::string string(const Json& value) const {
    if (!value.is_string()) fail();
    auto text = value.get<std::string>();
    const auto& choices = option.choices;
    if (!choices.empty() && std::find(choices.begin(), choices.end(), text) == choices.end()) fail();
    if (text.find('\0') != std::string::npos) fail();
    if (!is_utf8(text)) refuse(option, owner, to_line(whole), " in UTF-8");
    return text;
  }
};

}  // namespace

const Option& find_option(OptionTable table, std::string_view key) {
  for (const auto& option : table)
    if (option.name == key || std::find(option.aliases.begin(), option.aliases.end(), key) != option.aliases.end())
      return option;
  const auto near = nearest_name(table, key);
  const auto shown = shortened(key);
  if (near.empty()) throw Error(Status::config, fmt::format("unknown option '{}'", shown), {{"key", shown}});
  throw Error(Status::config, fmt::format("unknown option '{}'; did you mean '{}'?", shown, near),
              {{"key", shown}, {"nearest", near}});
}

void set_option(const Option& option, void* owner, const Json& value) {
  const Check check{option, owner, value};
  const auto set = Overload{
      [&](bool* field) {
        if (!value.is_boolean()) check.fail();
        *field = value.get<bool>();
      },
      [&](std::int64_t* field) { *field = check.integer<std::int64_t>(value); },
      [&](std::uint64_t* field) { *field = check.integer<std::uint64_t>(value); },
      [&](double* field) { *field = check.number(value); },
      [&](std::string* field) { *field = check.string(value); },
      [&](std::vector<std::string>* field) {
        std::vector<std::string> list;
        if (value.is_array())
          for (const auto& item : value) list.push_back(check.string(item));
        else
          list.push_back(check.string(value));
        *field = std::move(list);
      },
      [&](std::vector<std::int32_t>* field) {
        if (!value.is_array()) check.fail();
        std::vector<std::int32_t> list;
        for (const auto& item : value) list.push_back(check.integer<std::int32_t>(item));
        *field = std::move(list);
      },
      [&](std::vector<double>* field) {
        if (!value.is_array()) check.fail();
        std::vector<double> list;
        for (const auto& item : value) list.push_back(check.number(item));
        *field = std::move(list);
      },
      [&](NumberPair fields) {
        if (value.is_null()) {
          fields[0]->reset(), fields[1]->reset();
          return;
        }
        if (!value.is_array() || value.size() != 2) check.fail();
        const std::array pair = {check.number(value[0]), check.number(value[1])};
        *fields[0] = pair[0], *fields[1] = pair[1];
      },
      [&](std::optional<double>* field) { *field = value.is_null() ? std::optional<double>() : check.number(value); },
      [&](std::optional<bool>* field) {
        if (!value.is_boolean() && !value.is_null()) check.fail();
        *field = value.is_null() ? std::optional<bool>() : value.get<bool>();
      },
  };
  std::visit(set, option.field(owner));
}

void set_option_text(const Option& option, void* owner, std::string_view text) {
  const auto field = option.field(owner);
  const bool is_text = std::holds_alternative<std::string*>(field) ||
                       (std::holds_alternative<std::vector<std::string>*>(field) && !text.starts_with('['));
  const auto value = is_text ? Json(text) : try_parse_json(text);
  if (value.is_discarded()) refuse(option, owner, fmt::format("'{}'", shortened(text)));
  set_option(option, owner, value);
}

void set_options(OptionTable table, void* owner, const Json& object) {
  if (!object.is_object())
    fail(Status::config, "options are one JSON object, {{\"name\": value, ...}}; got {}", object.type_name());
  std::set<std::string_view> seen;
  for (const auto& [key, value] : object.items()) {
    const auto& option = find_option(table, key);
    if (!seen.insert(option.name).second)
      throw Error(Status::config, fmt::format("option '{}' is given twice, here as '{}'", option.name, key),
                  {{"key", option.name}});
    set_option(option, owner, value);
  }
}

Json option_value(const Option& option, const void* owner) {
  const auto get = Overload{
      [](NumberPair fields) { return *fields[0] && *fields[1] ? Json::array({**fields[0], **fields[1]}) : Json(); },
      []<typename T>(const std::optional<T>* field) { return *field ? Json(**field) : Json(); },
      [](const auto* field) { return Json(*field); },
  };
  return std::visit(get, option.field(const_cast<void*>(owner)));
}

std::string option_text(const Option& option, const void* owner) {
  const auto value = option_value(option, owner);
  return value.is_string() ? value.get<std::string>() : to_line(value);
}

std::string expectation(const Option& option, const void* owner) {
  const auto& [min, max, open_min, open_max] = option.bounds;
  std::string range;
  if (std::isfinite(min)) range = fmt::format(" {} {}", open_min ? ">" : ">=", min);
  if (std::isfinite(max)) range += fmt::format("{} {} {}", range.empty() ? "" : " and", open_max ? "<" : "<=", max);
  if (!option.choices.empty()) {
    std::string list;
    for (const auto choice : option.choices)
      list += fmt::format("{}{}", list.empty() ? "" : ", ", choice.empty() ? "\"\"" : choice);
    return "one of " + list;
  }
  const auto name = Overload{
      [](bool*) { return "true or false"; },
      [](std::int64_t*) { return "an integer"; },
      [](std::uint64_t*) { return "an integer"; },
      [](double*) { return "a number"; },
      [](std::string*) { return "a string"; },
      [](std::vector<std::string>*) { return "a string or a list of strings"; },
      [](std::vector<std::int32_t>*) { return "a list of integers"; },
      [](NumberPair) { return "a list of two numbers, each"; },
      [](std::optional<double>*) { return "a number"; },
      [](std::optional<bool>*) { return "true or false"; },
      [](std::vector<double>*) { return "a list of numbers, each"; },
  };
  return std::visit(name, option.field(const_cast<void*>(owner))) + range;
}

}  // namespace ilt
