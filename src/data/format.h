// The forms that records come in, told apart by their keys.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/json.h"
#include "data/conversation.h"

namespace ilt {

enum class Format {
  messages,           // {"messages": [{"role", "content"}]}
  sharegpt,           // {"conversations": [{"from", "value"}]}
  alpaca,             // {"instruction", "input", "output"}
  prompt_completion,  // {"prompt", "completion"}: texts, or lists of messages
  processed,          // {"input_ids", "labels"}
  document,           // {"document"} or {"text"}
};

const char* name(Format format);
std::optional<Format> format_named(std::string_view name);

// The format whose keys the record has. Throws data with the keys found and the keys expected.
Format detect_format(const Json& record, const Place& place);

// As detect_format, for a later record of a file whose first one was of `expected`.
void require_format(Format expected, const Json& record, const Place& place);

// Keys of the record that its format gives no meaning.
std::set<std::string> unused_keys(Format format, const Json& record);

}  // namespace ilt
