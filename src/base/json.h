// JSON values that keep their keys' order, and parsing that says where a fault is.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace ilt {

using Json = nlohmann::ordered_json;

// Parses one JSON document. `where` names the source in the error ("config.json", "rows.jsonl line 3").
// Throws Error(format) with line and column. Depth is limited to 128, as the document may be untrusted.
Json parse_json(std::string_view text, const std::string& where);

// One line, ASCII-safe, invalid UTF-8 replaced: for logs and metrics.
std::string to_line(const Json& value);

}  // namespace ilt
