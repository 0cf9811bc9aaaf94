// Reading a config.json by key.
#include "model/families/config_reader.h"

#include <fmt/ranges.h>

#include <cmath>

#include "base/error.h"
#include "base/text.h"

namespace ilt {

bool ConfigReader::has(std::string_view key) const {
  const auto it = config_->find(key);
  return it != config_->end() && !it->is_null();
}

bool ConfigReader::is_null(std::string_view key) const {
  const auto it = config_->find(key);
  return it != config_->end() && it->is_null();
}

const Json& ConfigReader::at(std::string_view key) const {
  if (!has(key))
    throw Error(Status::format, fmt::format("{}: the key '{}' is missing", where_, key), {{"key", std::string(key)}});
  return *config_->find(key);
}

void ConfigReader::wrong(std::string_view key, std::string_view expected) const {
  const std::string found = shortened(to_line(at(key)));
  throw Error(Status::format, fmt::format("{}: '{}' is {}, expected {}", where_, key, found, expected),
              {{"key", std::string(key)}, {"got", found}, {"expected", std::string(expected)}});
}

std::int64_t ConfigReader::positive(std::string_view key) const {
  const Json& value = at(key);
  // Some tools write integers as 2048.0.
  constexpr double limit = 1LL << 40;
  const double number = value.is_number() ? value.get<double>() : 0;
  if (!(number >= 1) || number > limit || std::trunc(number) != number) wrong(key, "a positive integer below 2^40");
  return value.get<std::int64_t>();
}

std::int64_t ConfigReader::positive_or(std::string_view key, std::int64_t fallback) const {
  return has(key) ? positive(key) : fallback;
}

std::int64_t ConfigReader::count_or(std::string_view key, std::int64_t fallback) const {
  return has(key) && at(key) == 0 ? 0 : positive_or(key, fallback);
}

double ConfigReader::number(std::string_view key) const {
  const Json& value = at(key);
  if (!value.is_number()) wrong(key, "a number");
  return value.get<double>();
}

double ConfigReader::number_or(std::string_view key, double fallback) const {
  return has(key) ? number(key) : fallback;
}

bool ConfigReader::boolean_or(std::string_view key, bool fallback) const {
  if (!has(key)) return fallback;
  if (!at(key).is_boolean()) wrong(key, "true or false");
  return at(key).get<bool>();
}

std::string ConfigReader::text_or(std::string_view key, std::string_view fallback) const {
  if (!has(key)) return std::string(fallback);
  if (!at(key).is_string()) wrong(key, "a string");
  return at(key).get<std::string>();
}

std::vector<double> ConfigReader::numbers(std::string_view key) const {
  std::vector<double> values;
  if (!at(key).is_array()) wrong(key, "a list of numbers");
  for (const Json& value : at(key)) {
    if (!value.is_number()) wrong(key, "a list of numbers");
    values.push_back(value.get<double>());
  }
  return values;
}

std::vector<std::string> ConfigReader::texts(std::string_view key) const {
  std::vector<std::string> values;
  if (!at(key).is_array()) wrong(key, "a list of strings");
  for (const Json& value : at(key)) {
    if (!value.is_string()) wrong(key, "a list of strings");
    values.push_back(value.get<std::string>());
  }
  return values;
}

void ConfigReader::require(std::string_view key, const Json& value) const {
  if (has(key) && at(key) != value) unsupported(key, shortened(to_line(at(key))), {to_line(value)});
}

ConfigReader ConfigReader::object(std::string_view key) const {
  if (!at(key).is_object()) wrong(key, "an object");
  return ConfigReader(at(key), fmt::format("{}: {}", where_, key));
}

void ConfigReader::unsupported(std::string_view key, const std::string& found,
                               const std::vector<std::string>& known) const {
  throw Error(Status::unsupported,
              fmt::format("{}: '{}' is '{}', which libilt does not know; it knows: {}", where_, key, found,
                          fmt::join(known, ", ")),
              {{"key", std::string(key)}, {"got", found}, {"known", known}});
}

}  // namespace ilt
