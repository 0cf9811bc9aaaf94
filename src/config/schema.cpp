// The options as a JSON Schema, from which bindings, command-line flags and the reference page are made.
#include <cmath>

#include "config/options.h"

namespace ilt {
namespace {

Json number_type(std::string_view type, const Bounds& bounds) {
  // Integers stay integers in the text: bounds of counts are whole numbers.
  const auto bound = [&](double value) {
    return type == "integer" ? Json(static_cast<std::int64_t>(value)) : Json(value);
  };
  Json out = {{"type", type}};
  if (std::isfinite(bounds.min)) out[bounds.open_min ? "exclusiveMinimum" : "minimum"] = bound(bounds.min);
  if (std::isfinite(bounds.max)) out[bounds.open_max ? "exclusiveMaximum" : "maximum"] = bound(bounds.max);
  return out;
}

// What may be unset is null then.
Json nullable(Json type) {
  type["type"] = {type["type"], "null"};
  return type;
}

struct TypeOf {
  const Option& option;

  Json operator()(bool*) const { return {{"type", "boolean"}}; }
  Json operator()(std::int64_t*) const { return number_type("integer", option.bounds); }
  Json operator()(std::uint64_t*) const { return number_type("integer", option.bounds); }
  Json operator()(double*) const { return number_type("number", option.bounds); }
  Json operator()(std::string*) const {
    Json out = {{"type", "string"}};
    if (!option.choices.empty()) out["enum"] = option.choices;
    return out;
  }
  Json operator()(std::vector<std::string>*) const {
    return {{"type", {"string", "array"}}, {"items", {{"type", "string"}}}};
  }
  Json operator()(std::vector<std::int32_t>*) const { return {{"type", "array"}, {"items", {{"type", "integer"}}}}; }
  Json operator()(std::vector<double>*) const {
    return {{"type", "array"}, {"items", number_type("number", option.bounds)}};
  }
  Json operator()(NumberPair) const {
    return nullable(
        {{"type", "array"}, {"items", number_type("number", option.bounds)}, {"minItems", 2}, {"maxItems", 2}});
  }
  Json operator()(std::optional<double>*) const { return nullable(number_type("number", option.bounds)); }
  Json operator()(std::optional<bool>*) const { return nullable({{"type", "boolean"}}); }
};

}  // namespace

Json config_schema() {
  Config defaults;
  Json properties = Json::object();
  Json required = Json::array();
  for (const auto& option : config_options()) {
    Json entry = std::visit(TypeOf{option}, option.field(&defaults));
    if (option.required == Required::no)
      entry["default"] = option_value(option, &defaults);
    else
      entry["x-required"] = option.required == Required::always ? "always" : "training";
    if (option.required == Required::always) required.push_back(option.name);
    entry["description"] = option.doc;
    entry["x-group"] = option.group;
    if (!option.aliases.empty()) entry["x-aliases"] = option.aliases;
    if (!option.instructlab.empty()) entry["x-instructlab"] = option.instructlab;
    properties[std::string(option.name)] = std::move(entry);
  }
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"title", "libilt configuration"},
          {"type", "object"},
          {"additionalProperties", false},
          {"required", std::move(required)},
          {"properties", std::move(properties)}};
}

}  // namespace ilt
