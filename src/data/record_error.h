// Where a record stands, and errors that say so.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"

namespace ilt {

struct Place {
  std::string file;
  std::int64_t line = 0;      // from 1
  const char* unit = "line";  // a line of JSON Lines, a row of a table
};

// Throws data: "FILE line N: MESSAGE" (or row), with file and line added to `detail`.
[[noreturn]] void fail_record(const Place& place, const std::string& message, Json detail = Json::object());

// What a message about a wrong type says was found: "null", "a number", "an object", ...
std::string describe_type(const Json& value);

}  // namespace ilt
