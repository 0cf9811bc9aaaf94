// Checks and normalises messages.
#include "data/conversation.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace ilt {
namespace {

using Alias = std::pair<std::string_view, std::string_view>;

constexpr std::array roles = {"system", "developer", "user", "assistant", "tool", "function", "ipython", "documents"};
constexpr std::array<Alias, 8> aliases = {{{"human", "user"},
                                           {"gpt", "assistant"},
                                           {"chatgpt", "assistant"},
                                           {"bot", "assistant"},
                                           {"model", "assistant"},
                                           {"function_call", "assistant"},
                                           {"observation", "tool"},
                                           {"function_response", "tool"}}};
constexpr std::array reasoning_keys = {"reasoning_content", "thinking", "reasoning"};

std::string known_roles() {
  std::string text;
  for (const char* role : roles) text += text.empty() ? role : std::string(", ") + role;
  for (const auto& [from, to] : aliases) text += fmt::format(", {} ({})", from, to);
  return text;
}

// One message while it is checked.
class Message {
 public:
  Message(const Json& source, std::size_t index, const Place& place) : source_(source), index_(index), place_(place) {
    if (!source.is_object()) wrong("messages", source, "an object");
  }

  std::string role() const {
    const Json& value = required("role", "from");
    if (!value.is_string()) wrong("role", value, "a string");
    const auto& name = value.get_ref<const std::string&>();
    if (std::find(roles.begin(), roles.end(), name) != roles.end()) return name;
    const auto* alias = std::find_if(aliases.begin(), aliases.end(), [&](const Alias& a) { return a.first == name; });
    if (alias != aliases.end()) return std::string(alias->second);
    fail_record(
        place_,
        fmt::format("message {}: unknown role \"{}\"; known are {}", index_ + 1, shortened(name), known_roles()),
        {{"message", index_}, {"key", "role"}, {"got", name}, {"expected", known_roles()}});
  }

  // The text, or null where an assistant says nothing but calls tools or reasons.
  Json content(bool may_be_absent) const {
    const Json* value = find("content", "value");
    if (value == nullptr) {
      if (may_be_absent) return nullptr;
      wrong("content", nullptr, "a string");
    }
    if (value->is_string()) return *value;
    if (value->is_array()) return join_parts(*value);
    wrong("content", *value, "a string");
  }

  bool train() const {
    const Json* value = find("train", "train");
    if (value == nullptr) return true;
    if (!value->is_boolean()) wrong("train", *value, "true or false");
    return value->get<bool>();
  }

  bool has(const char* key) const { return find(key, key) != nullptr; }

  [[noreturn]] void wrong(const char* key, const Json& value, const char* expected) const {
    const std::string got = describe_type(value);
    fail_record(place_, fmt::format("message {}: \"{}\" is {}, expected {}", index_ + 1, key, got, expected),
                {{"message", index_}, {"key", key}, {"got", got}, {"expected", expected}});
  }

 private:
  // Null is the same as no key.
  const Json* find(const char* key, const char* other) const {
    for (const char* name : {key, other}) {
      if (const auto it = source_.find(name); it != source_.end() && !it->is_null()) return &*it;
    }
    return nullptr;
  }

  const Json& required(const char* key, const char* other) const {
    if (const Json* value = find(key, other)) return *value;
    if (source_.contains(key) || source_.contains(other)) wrong(key, nullptr, "a string");
    std::vector<std::string> keys;
    for (const auto& [name, value] : source_.items()) keys.push_back(name);
    fail_record(place_,
                fmt::format("message {}: no \"{}\"; keys found: {}", index_ + 1, key, shortened(to_line(Json(keys)))),
                {{"message", index_}, {"key", key}, {"got", keys}, {"expected", key}});
  }

  std::string join_parts(const Json& parts) const {
    std::string text;
    for (const Json& part : parts) {
      if (!part.is_object() || !part.contains("type")) wrong("content", part, "a text part {\"type\", \"text\"}");
      if (part["type"] != "text" || !part.contains("text") || !part["text"].is_string()) {
        const std::string type =
            part["type"].is_string() ? shortened(part["type"].get<std::string>()) : shortened(to_line(part["type"]));
        fail_record(
            place_,
            fmt::format("message {}: \"content\" has a part of type {}; only text can be learnt", index_ + 1, type),
            {{"message", index_}, {"key", "content"}, {"got", type}, {"expected", "text"}});
      }
      text += part["text"].get_ref<const std::string&>();
    }
    return text;
  }

  const Json& source_;
  std::size_t index_;
  const Place& place_;
};

// ShareGPT's function_call turn: the value is the call as JSON text.
bool take_function_call(const Json& source, Json& message) {
  const auto from = source.find("from");
  if (from == source.end() || *from != "function_call" || !message.contains("content")) return false;
  const Json call = try_parse_json(message["content"].get_ref<const std::string&>());
  if (!call.is_object() || !call.contains("name")) return false;
  message.erase("content");
  message["tool_calls"] = Json::array({{{"type", "function"}, {"function", call}}});
  return true;
}

}  // namespace

void add_message(Conversation& conversation, const Json& source, const Place& place) {
  const Message checked(source, conversation.messages.size(), place);
  Json message = {{"role", checked.role()}};
  const bool assistant = message["role"] == "assistant";
  const bool speaks_otherwise =
      assistant && (checked.has("tool_calls") || checked.has("function_call") || checked.has("reasoning_content") ||
                    checked.has("thinking") || checked.has("reasoning"));
  if (Json content = checked.content(speaks_otherwise); !content.is_null()) message["content"] = std::move(content);
  take_function_call(source, message);
  for (const auto& [key, value] : source.items()) {
    if (value.is_null() || message.contains(key) || key == "train" || key == "from" || key == "value" ||
        key == "content") {
      continue;
    }
    message[key] = value;
  }
  for (const char* key : reasoning_keys) {
    if (message.contains(key) && !message[key].is_string()) checked.wrong(key, message[key], "a string");
  }
  if (message.contains("tool_calls") && !message["tool_calls"].is_array()) {
    checked.wrong("tool_calls", message["tool_calls"], "a list");
  }
  conversation.messages.push_back(std::move(message));
  conversation.train.push_back(checked.train());
}

}  // namespace ilt
