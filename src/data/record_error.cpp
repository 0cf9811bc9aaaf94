// Errors of one record.
#include "data/record_error.h"

#include "base/text.h"

namespace ilt {

void fail_record(const Place& place, const std::string& message, Json detail) {
  Json full = {{"file", place.file}, {"line", place.line}};
  full.update(detail);
  throw Error(Status::data, fmt::format("{} {} {}: {}", place.file, place.unit, place.line, shortened(message, 1000)),
              std::move(full));
}

std::string describe_type(const Json& value) {
  if (value.is_null()) return "null";
  if (value.is_array()) return "a list";
  if (value.is_object()) return "an object";
  if (value.is_boolean()) return "true or false";
  return value.is_number() ? "a number" : "a string";
}

}  // namespace ilt
