// JSON values that keep their keys' order, and parsing that says where a fault is.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace ilt {

using Json = nlohmann::ordered_json;

// What a document may hold; it may come from anywhere.
struct JsonLimits {
  int depth = 128;                // whoever walks the value may recurse
  std::size_t keys = 10'000'000;  // of one object; a lookup takes time in their number
  bool repeated_keys = true;      // the last one holds; false: an error
};

// Why a text is refused, and where.
struct JsonFault {
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
  std::string reason;
  std::size_t byte = nowhere;  // from 0
};

// Parses one JSON document, in time linear in its length. Throws JsonFault.
Json parse_json_text(std::string_view text, const JsonLimits& limits = {});

// The same; `where` names the source in the error ("config.json", "rows.jsonl line 3"). Throws Error(format) with line
// and column.
Json parse_json(std::string_view text, const std::string& where, const JsonLimits& limits = {});

// Of texts that may hold something else: a discarded value where this is no JSON (is_discarded()).
Json try_parse_json(std::string_view text);

// JSON has no infinity and no NaN: null in place of them.
Json finite_or_null(double value);

// One line, ASCII-safe, invalid UTF-8 replaced: for logs and metrics.
std::string to_line(const Json& value);

}  // namespace ilt
