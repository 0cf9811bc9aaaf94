// Making tokenizer.json. It is put together as text: an ordered JSON object looks every key up among all before it.
#include "weights/gguf/tokenizer.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/log.h"
#include "weights/gguf/fault.h"
#include "weights/gguf/pre_tokenizer.h"
#include "weights/gguf/vocabulary.h"

namespace ilt {
namespace {

constexpr auto model_key = "tokenizer.ggml.model";
constexpr auto space = "\u2581";  // SentencePiece's sign for a blank

using SpecialToken = std::pair<const char*, const char*>;
constexpr std::array special_tokens = {
    SpecialToken{"bos_token", "tokenizer.ggml.bos_token_id"}, SpecialToken{"eos_token", "tokenizer.ggml.eos_token_id"},
    SpecialToken{"unk_token", "tokenizer.ggml.unknown_token_id"},
    SpecialToken{"sep_token", "tokenizer.ggml.seperator_token_id"},  // as it is spelt
    SpecialToken{"pad_token", "tokenizer.ggml.padding_token_id"}};

bool is_sentencepiece(const GgufMetadata& metadata) {
  const std::string kind = metadata.text(model_key);
  if (kind != "gpt2" && kind != "llama")
    refuse_gguf(metadata.path(), model_key, "'" + kind + "'",
                "libilt knows gpt2 (byte-level BPE) and llama (SentencePiece's BPE)");
  return kind == "llama";
}

const GgufPreTokenizer& pre_tokenizer(const GgufMetadata& metadata) {
  constexpr auto key = "tokenizer.ggml.pre";
  const std::string name = metadata.text_or(key, "default");
  const GgufPreTokenizer* const pre = find_gguf_pre_tokenizer(name);
  if (pre == nullptr)
    refuse_gguf(metadata.path(), key, "'" + name + "'", "libilt knows: " + known_gguf_pre_tokenizers());
  if (name == "default")
    log::warn("weights",
              "{}: its converter did not know how the model's tokenizer cuts text ({} is 'default'): it is cut as "
              "llama.cpp does, which may not be what the model was trained with",
              metadata.path().string(), key);
  return *pre;
}

struct Added {
  bool bos = false, eos = false;
};

Added added_tokens(const GgufMetadata& metadata) {
  const bool bos = is_sentencepiece(metadata) || pre_tokenizer(metadata).adds_bos;
  return {metadata.boolean_or("tokenizer.ggml.add_bos_token", bos),
          metadata.boolean_or("tokenizer.ggml.add_eos_token", false)};
}

Json added_token_list(const GgufVocabulary& vocabulary) {
  Json list = Json::array();
  for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id) {
    const GgufTokenType type = vocabulary.types[id];
    const bool is_special = type == GgufTokenType::control || type == GgufTokenType::unknown;
    if (!is_special && type != GgufTokenType::user_defined) continue;
    list.push_back({{"id", id},
                    {"content", vocabulary.tokens[id]},
                    {"single_word", false},
                    {"lstrip", false},
                    {"rstrip", false},
                    {"normalized", false},
                    {"special", is_special}});
  }
  return list;
}

// Adds BOS and EOS round a text; null where neither is added.
Json post_processor(const GgufMetadata& metadata, const GgufVocabulary& vocabulary) {
  const Added added = added_tokens(metadata);
  Json tokens = Json::object();
  const auto token_of = [&](bool wanted, const char* key) -> std::string {
    const auto id = wanted ? gguf_special_id(metadata, key) : std::nullopt;
    if (!id) return "";
    const std::string token(vocabulary.tokens[static_cast<std::size_t>(*id)]);
    tokens[token] = {{"id", token}, {"ids", {*id}}, {"tokens", {token}}};
    return token;
  };
  const std::string bos = token_of(added.bos, "tokenizer.ggml.bos_token_id");
  const std::string eos = token_of(added.eos, "tokenizer.ggml.eos_token_id");
  if (tokens.empty()) return nullptr;
  const auto add = [](Json& list, const char* kind, const std::string& id, int text) {
    if (!id.empty()) list.push_back({{kind, {{"id", id}, {"type_id", text}}}});
  };
  const auto add_text = [&](Json& list, const char* name, int text) {
    add(list, "SpecialToken", bos, text);
    add(list, "Sequence", name, text);
    add(list, "SpecialToken", eos, text);
  };
  Json single = Json::array();
  add_text(single, "A", 0);
  Json pair = single;
  add_text(pair, "B", 1);
  return {{"type", "TemplateProcessing"}, {"single", single}, {"pair", pair}, {"special_tokens", tokens}};
}

std::string vocabulary_text(const GgufVocabulary& vocabulary) {
  std::string text = "{";
  for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id)
    if (!vocabulary.is_filler(id))
      text += fmt::format("{}{}:{}", text.size() > 1 ? "," : "", to_line(Json(vocabulary.tokens[id])), id);
  return text + "}";
}

void add_merge(std::string& text, std::string_view left, std::string_view right) {
  text += fmt::format("{}[{},{}]", text.size() > 1 ? "," : "", to_line(Json(left)), to_line(Json(right)));
}

// "a b", where a may begin with a blank.
std::string written_merges(const GgufMetadata& metadata) {
  constexpr auto key = "tokenizer.ggml.merges";
  const std::vector<std::string_view> merges = metadata.texts(key);
  std::string text = "[";
  for (std::size_t i = 0; i < merges.size(); ++i) {
    const auto blank = merges[i].find(' ', 1);
    if (blank == std::string_view::npos || blank + 1 == merges[i].size())
      fail_gguf(metadata.path(), {fmt::format("{}, entry {}", key, i), "no blank between", "two tokens"});
    add_merge(text, merges[i].substr(0, blank), merges[i].substr(blank + 1));
  }
  return text + "]";
}

std::string scored_merges(const GgufMetadata& metadata, const GgufVocabulary& vocabulary) {
  constexpr auto key = "tokenizer.ggml.scores";
  const std::vector<float> scores = metadata.floats(key);
  if (scores.size() != vocabulary.tokens.size())
    fail_gguf(metadata.path(),
              {key, fmt::format("{} scores", scores.size()), fmt::format("{}", vocabulary.tokens.size())});
  if (std::any_of(scores.begin(), scores.end(), [](float score) { return std::isnan(score); }))
    fail_gguf(metadata.path(), {key, "NaN", "numbers"});
  std::string text = "[";
  for (const auto& [left, right] : merges_from_scores(vocabulary, scores)) add_merge(text, left, right);
  return text + "]";
}

// Everything but the model.
Json byte_level_frame(const GgufPreTokenizer& pre) {
  return {{"normalizer", pre.nfc ? Json{{"type", "NFC"}} : Json()},
          {"pre_tokenizer", pre_tokenizer_json(pre)},
          {"decoder",
           {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", pre.gpt2}}}};
}

Json replace(const char* from, const char* to) {
  return {{"type", "Replace"}, {"pattern", {{"String", from}}}, {"content", to}};
}

Json sentencepiece_frame(const GgufMetadata& metadata) {
  Json normalizers = Json::array();
  Json decoders = Json::array({replace(space, " "), {{"type", "ByteFallback"}}, {{"type", "Fuse"}}});
  if (metadata.boolean_or("tokenizer.ggml.add_space_prefix", true)) {
    normalizers.push_back({{"type", "Prepend"}, {"prepend", space}});
    decoders.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
  }
  normalizers.push_back(replace(" ", space));
  return {{"normalizer", {{"type", "Sequence"}, {"normalizers", std::move(normalizers)}}},
          {"pre_tokenizer", nullptr},
          {"decoder", {{"type", "Sequence"}, {"decoders", std::move(decoders)}}}};
}

Json unknown_token(const GgufMetadata& metadata, const GgufVocabulary& vocabulary) {
  if (const auto id = gguf_special_id(metadata, "tokenizer.ggml.unknown_token_id"))
    return vocabulary.tokens[static_cast<std::size_t>(*id)];
  for (std::size_t id = 0; id < vocabulary.types.size(); ++id)
    if (vocabulary.types[id] == GgufTokenType::unknown) return vocabulary.tokens[id];
  return nullptr;
}

Json chat_templates(const GgufMetadata& metadata) {
  constexpr auto key = "tokenizer.chat_template";
  constexpr auto names_key = "tokenizer.chat_templates";
  if (!metadata.has(names_key)) return metadata.has(key) ? Json(metadata.text(key)) : Json();
  Json list = Json::array();
  if (metadata.has(key)) list.push_back({{"name", "default"}, {"template", metadata.text(key)}});
  for (const std::string_view name : metadata.texts(names_key))
    list.push_back({{"name", name}, {"template", metadata.text(fmt::format("{}.{}", key, name))}});
  return list;
}

}  // namespace

std::span<const std::pair<const char*, const char*>> gguf_special_tokens() {
  return special_tokens;
}

bool has_gguf_tokenizer(const GgufMetadata& metadata) {
  return metadata.text_or(model_key, "none") != "none";
}

std::string gguf_tokenizer_json(const GgufMetadata& metadata) {
  const bool sentencepiece = is_sentencepiece(metadata);
  const GgufVocabulary vocabulary = read_gguf_vocabulary(metadata);
  Json tokenizer = {{"version", "1.0"},
                    {"truncation", nullptr},
                    {"padding", nullptr},
                    {"added_tokens", added_token_list(vocabulary)}};
  tokenizer.update(sentencepiece ? sentencepiece_frame(metadata) : byte_level_frame(pre_tokenizer(metadata)));
  tokenizer["post_processor"] = post_processor(metadata, vocabulary);
  const Json model = {{"type", "BPE"},
                      {"dropout", nullptr},
                      {"unk_token", sentencepiece ? unknown_token(metadata, vocabulary) : Json()},
                      {"continuing_subword_prefix", nullptr},
                      {"end_of_word_suffix", nullptr},
                      {"fuse_unk", sentencepiece},
                      {"byte_fallback", sentencepiece},
                      {"ignore_merges", !sentencepiece && pre_tokenizer(metadata).whole_words}};
  std::string text = to_line(tokenizer);
  text.back() = ',';
  std::string model_text = to_line(model);
  model_text.back() = ',';
  return text + "\"model\":" + model_text + "\"vocab\":" + vocabulary_text(vocabulary) +
         ",\"merges\":" + (sentencepiece ? scored_merges(metadata, vocabulary) : written_merges(metadata)) + "}}\n";
}

Json gguf_tokenizer_config(const GgufMetadata& metadata) {
  Json config = Json::object();
  const std::vector<std::string_view> tokens = metadata.texts("tokenizer.ggml.tokens");
  for (const auto& [name, key] : special_tokens)
    if (const auto id = gguf_special_id(metadata, key)) config[name] = tokens[static_cast<std::size_t>(*id)];
  const Added added = added_tokens(metadata);
  config["add_bos_token"] = added.bos;
  config["add_eos_token"] = added.eos;
  config["clean_up_tokenization_spaces"] = false;
  if (Json chat = chat_templates(metadata); !chat.is_null()) config["chat_template"] = std::move(chat);
  const std::string architecture = metadata.text_or("general.architecture", "");
  if (metadata.has(architecture + ".context_length"))
    config["model_max_length"] = metadata.integer(architecture + ".context_length");
  config["tokenizer_class"] = "PreTrainedTokenizerFast";
  return config;
}

}  // namespace ilt
