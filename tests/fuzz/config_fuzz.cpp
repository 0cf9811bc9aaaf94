// Fuzzes the way from JSON to a configuration: any bytes give one that prints and reads back the same, or Error(format)
// or Error(config), and nothing else.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "base/json.h"
#include "config/options.h"

namespace {

template <typename Work>
void only_config_errors(Work work) {
  try {
    work();
  } catch (const ilt::Error& e) {
    if (e.status() != ilt::Status::format && e.status() != ilt::Status::config) std::abort();
  }
}

// Each option as text, too.
void set_one_by_one(const ilt::Json& json) {
  if (!json.is_object()) return;
  ilt::Config config;
  for (const auto& [key, value] : json.items())
    only_config_errors([&] {
      ilt::set_config(config, key, value.is_string() ? value.get<std::string>() : ilt::to_line(value));
      ilt::get_config(config, key);
    });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  only_config_errors([&] {
    const ilt::Json json = ilt::parse_json(text, "fuzz", {.repeated_keys = false});
    set_one_by_one(json);
    const ilt::Config config = ilt::parse_config(json);
    const ilt::Json printed = ilt::config_to_json(config);
    if (ilt::config_to_json(ilt::parse_config(printed)) != printed) std::abort();
    ilt::validate_config(config);
  });
  return 0;
}
