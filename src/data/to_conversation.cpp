// One small function a format.
#include "data/to_conversation.h"

#include <string>

namespace ilt {
namespace {

[[noreturn]] void wrong(const Place& place, const char* key, const Json& value, const char* expected) {
  const std::string got = describe_type(value);
  fail_record(place, fmt::format("\"{}\" is {}, expected {}", key, got, expected),
              {{"key", key}, {"got", got}, {"expected", expected}});
}

bool present(const Json& record, const char* key) {
  return record.contains(key) && !record[key].is_null();
}

std::string text_of(const Json& record, const char* key, const Place& place) {
  if (!present(record, key)) return {};
  if (!record[key].is_string()) wrong(place, key, record[key], "a string");
  return record[key].get<std::string>();
}

void add_messages(Conversation& conversation, const Json& record, const char* key, const Place& place) {
  const Json& messages = record[key];
  if (!messages.is_array()) wrong(place, key, messages, "a list of messages");
  if (messages.empty()) {
    fail_record(place, fmt::format("\"{}\" is empty", key), {{"key", key}, {"got", "[]"}, {"expected", "messages"}});
  }
  for (const Json& message : messages) add_message(conversation, message, place);
}

void add_text(Conversation& conversation, const char* role, const std::string& content, const Place& place) {
  add_message(conversation, {{"role", role}, {"content", content}}, place);
}

// Tools come as a list, or as that list's JSON text.
void take_variables(Conversation& conversation, const Json& record, const Place& place) {
  for (const char* key : {"tools", "documents"}) {
    if (!present(record, key)) continue;
    Json value = record[key];
    if (value.is_string() && !value.get_ref<const std::string&>().empty()) {
      value = try_parse_json(value.get_ref<const std::string&>());
    }
    if (value.is_array()) {
      conversation.variables[key] = std::move(value);
    } else if (!(value.is_string() && value.get_ref<const std::string&>().empty())) {
      wrong(place, key, record[key], "a list (or its JSON text)");
    }
  }
  if (!present(record, "chat_template_kwargs")) return;
  const Json& more = record["chat_template_kwargs"];
  if (!more.is_object()) wrong(place, "chat_template_kwargs", more, "an object");
  for (const auto& [key, value] : more.items()) conversation.variables[key] = value;
}

void choose_roles(Conversation& conversation, const Json& record, const Place& place) {
  bool unmask = false;
  if (present(record, "unmask")) {
    if (!record["unmask"].is_boolean()) wrong(place, "unmask", record["unmask"], "true or false");
    unmask = record["unmask"].get<bool>();
  }
  for (std::size_t i = 0; i < conversation.train.size(); ++i) {
    const Json& role = conversation.messages[i]["role"];
    if (unmask ? role == "system" : role != "assistant") conversation.train[i] = false;
  }
}

void keep_last_turn(Conversation& conversation) {
  bool found = false;
  for (std::size_t i = conversation.train.size(); i-- > 0;) {
    if (!conversation.train[i] || conversation.messages[i]["role"] != "assistant") continue;
    if (found) conversation.train[i] = false;
    found = true;
  }
}

Conversation from_list(const Json& record, const char* key, const Place& place) {
  Conversation conversation;
  if (const std::string system = text_of(record, "system", place); !system.empty()) {
    add_text(conversation, "system", system, place);
  }
  add_messages(conversation, record, key, place);
  return conversation;
}

Conversation from_alpaca(const Json& record, const Place& place) {
  Conversation conversation;
  if (const std::string system = text_of(record, "system", place); !system.empty()) {
    add_text(conversation, "system", system, place);
  }
  if (present(record, "history")) {
    if (!record["history"].is_array()) wrong(place, "history", record["history"], "a list of [question, answer]");
    for (const Json& turn : record["history"]) {
      if (!turn.is_array() || turn.size() != 2 || !turn[0].is_string() || !turn[1].is_string()) {
        wrong(place, "history", turn, "a list of [question, answer]");
      }
      add_text(conversation, "user", turn[0].get<std::string>(), place);
      add_text(conversation, "assistant", turn[1].get<std::string>(), place);
    }
  }
  std::string question = text_of(record, "instruction", place);
  if (const std::string input = text_of(record, "input", place); !input.empty()) question += "\n\n" + input;
  if (!present(record, "output")) wrong(place, "output", nullptr, "a string");
  add_text(conversation, "user", question, place);
  add_text(conversation, "assistant", text_of(record, "output", place), place);
  return conversation;
}

Conversation from_prompt_completion(const Json& record, const Place& place) {
  Conversation conversation;
  for (const auto& [key, role] : {std::pair{"prompt", "user"}, std::pair{"completion", "assistant"}}) {
    if (record[key].is_string()) {
      add_text(conversation, role, record[key].get<std::string>(), place);
    } else {
      add_messages(conversation, record, key, place);
    }
    if (role == std::string_view("user")) conversation.train.assign(conversation.train.size(), false);
  }
  return conversation;
}

}  // namespace

Conversation to_conversation(Format format, const Json& record, const Place& place, bool last_turn_only) {
  Conversation conversation;
  switch (format) {
    case Format::messages:
      conversation = from_list(record, "messages", place);
      break;
    case Format::sharegpt:
      conversation = from_list(record, "conversations", place);
      break;
    case Format::alpaca:
      conversation = from_alpaca(record, place);
      break;
    case Format::prompt_completion:
      conversation = from_prompt_completion(record, place);
      break;
    default:
      fail(Status::internal, "{} records are no conversations", name(format));
  }
  take_variables(conversation, record, place);
  choose_roles(conversation, record, place);
  if (last_turn_only) keep_last_turn(conversation);
  return conversation;
}

}  // namespace ilt
