// Counts of a config.json that memory is taken for before the weights are looked at: bounded, as the file is not
// trusted.
#pragma once

#include <string_view>

#include "base/error.h"
#include "model/families/config_reader.h"

namespace ilt {

// A positive number of layers or experts. Throws format where it is more than any model has.
inline std::int64_t read_count(const ConfigReader& config, std::string_view key) {
  constexpr std::int64_t most = 100'000;
  const std::int64_t count = config.positive(key);
  if (count > most)
    throw Error(Status::format,
                fmt::format("config.json: '{}' is {}, expected at most {}: the file is damaged", key, count, most),
                {{"key", key}, {"got", count}, {"expected", most}});
  return count;
}

}  // namespace ilt
