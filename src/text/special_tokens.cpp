// Reads special tokens in both their forms: a string, or an object with the string under "content".
#include "text/special_tokens.h"

#include <array>

namespace ilt {
namespace {

constexpr std::array names = {"bos_token", "eos_token", "unk_token", "sep_token",
                              "pad_token", "cls_token", "mask_token"};

Json content(const Json& token) {
  if (token.is_string()) return token;
  if (token.is_object() && token.contains("content") && token["content"].is_string()) return token["content"];
  return nullptr;
}

void add_missing(const Json& source, Json& tokens) {
  for (const char* name : names) {
    if (source.contains(name) && !tokens.contains(name)) tokens[name] = content(source[name]);
  }
  constexpr auto more = "additional_special_tokens";
  if (!source.contains(more) || !source[more].is_array() || tokens.contains(more)) return;
  tokens[more] = Json::array();
  for (const Json& token : source[more]) {
    if (Json text = content(token); text.is_string()) tokens[more].push_back(std::move(text));
  }
}

}  // namespace

Json special_tokens(const FileSet& files) {
  Json tokens = Json::object();
  for (const char* file : {"tokenizer_config.json", "special_tokens_map.json"}) {
    if (!files.has(file)) continue;
    const Json source = parse_json(files.read(file), files.place(file));
    if (source.is_object()) add_missing(source, tokens);
  }
  // A name that is null has no token; transformers does not pass it.
  Json named = Json::object();
  for (const auto& [name, token] : tokens.items()) {
    if (!token.is_null()) named[name] = token;
  }
  return named;
}

}  // namespace ilt
