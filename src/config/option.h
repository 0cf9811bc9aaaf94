// An option: one named, typed, bounded, documented field of a struct; and what can be done with a table of them.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.h"

namespace ilt {

// Two fields that are set at once.
using NumberPair = std::array<std::optional<double>*, 2>;

// The field's address; its type is the option's type. An optional one is unset (null) where another option decides what
// its default is.
using FieldRef = std::variant<bool*, std::int64_t*, std::uint64_t*, double*, std::string*, std::vector<std::string>*,
                              std::vector<std::int32_t>*, NumberPair, std::vector<double>*, std::optional<double>*,
                              std::optional<bool>*>;

enum class Required { no, always, training };

struct Bounds {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool open_min = false;  // min itself is outside
  bool open_max = false;
};

struct Option {
  std::string_view name;
  FieldRef (*field)(void* owner) = nullptr;
  std::string_view group = {};
  std::string_view doc = {};
  Bounds bounds = {};
  std::vector<std::string_view> choices = {};
  std::vector<std::string_view> aliases = {};
  std::string_view instructlab = {};  // its name in InstructLab's training library, where it has one
  Required required = Required::no;
};

// Makes Option::field of a member: field_of<&Config::seed>.
template <typename Owner, typename T>
Owner owner_of(T Owner::*);

template <auto member>
FieldRef field_of(void* owner) {
  return &(static_cast<decltype(owner_of(member))*>(owner)->*member);
}

using OptionTable = std::span<const Option>;

// By name or alias. Throws config, with the nearest name where one is near.
const Option& find_option(OptionTable table, std::string_view key);

// Checks type, bounds and choices, then stores. Throws config with key, got and expected; the field is then unchanged.
void set_option(const Option& option, void* owner, const Json& value);
// The same from text: strings as they are, numbers and booleans as JSON, lists as JSON or as their only element.
void set_option_text(const Option& option, void* owner, std::string_view text);
// Every key of an object; an option given twice, by two names, is an error.
void set_options(OptionTable table, void* owner, const Json& object);

Json option_value(const Option& option, const void* owner);
std::string option_text(const Option& option, const void* owner);
// What set_option takes, in words: "an integer >= 1".
std::string expectation(const Option& option, const void* owner);

}  // namespace ilt
