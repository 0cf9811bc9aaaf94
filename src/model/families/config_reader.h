// Reads a config.json by key, with errors that name the key, what was found and what was expected.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace ilt {

// An optional key that is null counts as absent.
class ConfigReader {
 public:
  explicit ConfigReader(const Json& config, std::string where = "config.json")
      : config_(&config), where_(std::move(where)) {}

  bool has(std::string_view key) const;
  bool is_null(std::string_view key) const;  // there, but null
  const Json& at(std::string_view key) const;

  std::int64_t positive(std::string_view key) const;  // required, >= 1
  std::int64_t positive_or(std::string_view key, std::int64_t fallback) const;
  std::int64_t count_or(std::string_view key, std::int64_t fallback) const;  // >= 0
  double number(std::string_view key) const;                                 // required
  double number_or(std::string_view key, double fallback) const;
  bool boolean_or(std::string_view key, bool fallback) const;
  std::string text_or(std::string_view key, std::string_view fallback) const;
  std::vector<double> numbers(std::string_view key) const;  // required
  std::vector<std::string> texts(std::string_view key) const;
  // A nested object as a reader of its own ("config.json: rope_scaling").
  ConfigReader object(std::string_view key) const;

  // Throws unsupported where the key is there with another value: libilt has only this one.
  void require(std::string_view key, const Json& value) const;
  // Throws unsupported: "config.json: hidden_act is 'x'; libilt knows: silu".
  [[noreturn]] void unsupported(std::string_view key, const std::string& found,
                                const std::vector<std::string>& known) const;

 private:
  [[noreturn]] void wrong(std::string_view key, std::string_view expected) const;

  const Json* config_;
  std::string where_;
};

}  // namespace ilt
