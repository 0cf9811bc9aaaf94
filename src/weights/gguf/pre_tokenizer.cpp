// The known ways of cutting text, as the tokenizer.json of models that have them says it.
#include "weights/gguf/pre_tokenizer.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace ilt {
namespace {

// Words with the sign before them, digits by up to three, other signs with line ends, blanks.
constexpr std::array llama3 = {
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr std::array qwen2 = {
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};
// The same with words cut where capitals begin.
constexpr std::array tekken = {
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr std::array gpt4o = {
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};
// llama.cpp's own, for files whose converter did not know: close to GPT-2.
constexpr std::array unknown = {R"([\p{P}\$\+<=>\^~\|]+)",
                                R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)",
                                R"(\p{N}+)", R"([0-9][0-9][0-9])"};
constexpr std::span<const char* const> none;

// Of names that mean the same the first is the one to write.
constexpr std::array known = {
    GgufPreTokenizer{.name = "llama-bpe", .splits = llama3, .whole_words = true, .adds_bos = true},
    GgufPreTokenizer{.name = "llama3", .splits = llama3, .whole_words = true, .adds_bos = true},
    GgufPreTokenizer{.name = "llama-v3", .splits = llama3, .whole_words = true, .adds_bos = true},
    GgufPreTokenizer{.name = "dbrx", .splits = llama3},
    GgufPreTokenizer{.name = "smaug-bpe", .splits = llama3},
    GgufPreTokenizer{.name = "qwen2", .splits = qwen2, .nfc = true},
    GgufPreTokenizer{.name = "deepseek-r1-qwen", .splits = qwen2},
    GgufPreTokenizer{.name = "tekken", .splits = tekken, .whole_words = true, .adds_bos = true},
    GgufPreTokenizer{.name = "gpt-4o", .splits = gpt4o},
    GgufPreTokenizer{.name = "gpt-2", .splits = none, .gpt2 = true},
    GgufPreTokenizer{.name = "phi-2", .splits = none, .gpt2 = true},
    GgufPreTokenizer{.name = "smollm", .splits = none, .single_digits = true, .gpt2 = true},
    GgufPreTokenizer{.name = "starcoder", .splits = none, .single_digits = true, .gpt2 = true},
    GgufPreTokenizer{.name = "refact", .splits = none, .single_digits = true, .gpt2 = true},
    GgufPreTokenizer{.name = "codeshell", .splits = none, .single_digits = true, .gpt2 = true},
    GgufPreTokenizer{.name = "default", .splits = unknown},
};

// What decides of a tokenizer.json.
struct Facts {
  std::vector<std::string> splits;
  bool single_digits = false, gpt2 = false, bytes = false, whole_words = false, nfc = false;

  bool operator==(const Facts&) const = default;
};

std::string type_of(const Json& part) {
  return part.is_object() && part.contains("type") && part["type"].is_string() ? part["type"].get<std::string>() : "";
}

bool flag(const Json& part, const char* key, bool fallback) {
  return part.contains(key) && part[key].is_boolean() ? part[key].get<bool>() : fallback;
}

// False for a part that none of the known ones has.
bool add_part(const Json& part, Facts& facts) {
  const std::string type = type_of(part);
  if (facts.bytes) return false;  // nothing comes behind
  if (type == "Digits" && flag(part, "individual_digits", false) && facts.splits.empty())
    return facts.single_digits = true;
  if (type == "ByteLevel") {
    facts.gpt2 = flag(part, "use_regex", true);
    return (facts.bytes = true) && !flag(part, "add_prefix_space", true);
  }
  if (type != "Split" || facts.single_digits || flag(part, "invert", false)) return false;
  if (part.value("behavior", "") != "Isolated" || !part["pattern"].is_object() || !part["pattern"].contains("Regex"))
    return false;
  facts.splits.push_back(part["pattern"]["Regex"].get<std::string>());
  return true;
}

std::optional<Facts> facts_of(const Json& tokenizer) {
  Facts facts;
  const Json& pre = tokenizer.at("pre_tokenizer");
  const bool is_list = type_of(pre) == "Sequence";
  for (const Json& part : is_list ? pre.at("pretokenizers") : Json::array({pre}))
    if (!add_part(part, facts)) return {};
  if (!facts.bytes) return {};
  const Json& normalizer = tokenizer.at("normalizer");
  facts.nfc = type_of(normalizer) == "NFC";
  const bool is_empty = type_of(normalizer) == "Sequence" && normalizer.at("normalizers").empty();
  if (!facts.nfc && !is_empty && !normalizer.is_null()) return {};
  facts.whole_words = flag(tokenizer.at("model"), "ignore_merges", false);
  return facts;
}

Facts facts_of(const GgufPreTokenizer& pre) {
  return {{pre.splits.begin(), pre.splits.end()}, pre.single_digits, pre.gpt2, true, pre.whole_words, pre.nfc};
}

}  // namespace

const GgufPreTokenizer* find_gguf_pre_tokenizer(std::string_view name) {
  for (const GgufPreTokenizer& pre : known)
    if (name == pre.name) return &pre;
  return nullptr;
}

const GgufPreTokenizer* find_gguf_pre_tokenizer_of(const Json& tokenizer) {
  std::optional<Facts> facts;
  try {
    facts = facts_of(tokenizer);
  } catch (const Json::exception&) {  // a part that lacks what it needs
    return nullptr;
  }
  for (const GgufPreTokenizer& pre : known)
    if (facts && facts_of(pre) == *facts) return &pre;
  return nullptr;
}

std::string known_gguf_pre_tokenizers() {
  std::string names;
  for (const GgufPreTokenizer& pre : known) names += (names.empty() ? "" : ", ") + std::string(pre.name);
  return names;
}

Json pre_tokenizer_json(const GgufPreTokenizer& pre) {
  Json parts = Json::array();
  for (const char* expression : pre.splits)
    parts.push_back(
        {{"type", "Split"}, {"pattern", {{"Regex", expression}}}, {"behavior", "Isolated"}, {"invert", false}});
  if (pre.single_digits) parts.push_back({{"type", "Digits"}, {"individual_digits", true}});
  parts.push_back(
      {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", pre.gpt2}});
  if (parts.size() == 1) return parts[0];
  return {{"type", "Sequence"}, {"pretokenizers", std::move(parts)}};
}

}  // namespace ilt
