// Writing vocabularies: byte-level BPE with its merges; SentencePiece's BPE with scores that the merges follow from.
#include "weights/gguf/write_tokenizer.h"

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "weights/gguf/pre_tokenizer.h"
#include "weights/gguf/tokenizer.h"
#include "weights/gguf/vocabulary.h"

namespace ilt {
namespace {

constexpr auto space = "\u2581";

struct Vocabulary {
  std::vector<std::string> tokens;
  std::vector<GgufTokenType> types;
};

using Merge = std::pair<std::string, std::string>;

class TokenizerWriter {
 public:
  TokenizerWriter(GgufHead& head, const GgufTokenizerSource& source)
      : head_(head), source_(source), tokenizer_(source.tokenizer), model_(source.tokenizer.at("model")) {}

  void write() {
    if (model_.value("type", "") != "BPE") refuse("model", model_.value("type", "of no type"), "BPE");
    read_tokens();
    if (model_.value("byte_fallback", false)) {
      write_sentencepiece();
    } else {
      write_byte_level();
    }
    write_special_tokens();
    if (!source_.chat_template.empty()) head_.add_text("tokenizer.chat_template", source_.chat_template);
  }

 private:
  [[noreturn]] void refuse(const std::string& what, const std::string& found, const std::string& known) const {
    throw Error(Status::unsupported,
                fmt::format("{}: the {} is {}, which is not written as GGUF; libilt writes {}", source_.place, what,
                            found, known),
                {{"file", source_.place}, {"got", found}});
  }

  void set(std::int64_t id, const std::string& token, GgufTokenType type) {
    if (id < 0 || id >= source_.vocab)
      throw Error(Status::unsupported,
                  fmt::format("{}: the token '{}' has the id {}, but the model has {} rows of embeddings",
                              source_.place, token, id, source_.vocab),
                  {{"file", source_.place}, {"got", id}});
    const auto at = static_cast<std::size_t>(id);
    vocabulary_.tokens[at] = token;
    vocabulary_.types[at] = type;
  }

  static bool is_byte(const std::string& token) {
    return token.size() == 6 && token.starts_with("<0x") && token.ends_with(">");
  }

  void read_tokens() {
    const bool has_bytes = model_.value("byte_fallback", false);
    vocabulary_.tokens.resize(static_cast<std::size_t>(source_.vocab));
    vocabulary_.types.assign(vocabulary_.tokens.size(), GgufTokenType::unused);
    for (std::size_t i = 0; i < vocabulary_.tokens.size(); ++i) vocabulary_.tokens[i] = fmt::format("[PAD{}]", i);
    for (const auto& [token, id] : model_.at("vocab").items())
      set(id.get<std::int64_t>(), token, has_bytes && is_byte(token) ? GgufTokenType::byte : GgufTokenType::normal);
    const std::string unknown =
        model_.contains("unk_token") && model_["unk_token"].is_string() ? model_["unk_token"].get<std::string>() : "";
    for (const Json& added : tokenizer_.at("added_tokens")) {
      const auto token = added.at("content").get<std::string>();
      const bool is_special = added.value("special", false);
      set(added.at("id").get<std::int64_t>(), token,
          has_bytes && token == unknown ? GgufTokenType::unknown
          : is_special                  ? GgufTokenType::control
                                        : GgufTokenType::user_defined);
    }
  }

  // "a b" or ["a", "b"].
  std::vector<Merge> merges() const {
    std::vector<Merge> merges;
    for (const Json& merge : model_.at("merges")) {
      if (merge.is_array()) {
        merges.emplace_back(merge.at(0).get<std::string>(), merge.at(1).get<std::string>());
      } else {
        const auto text = merge.get<std::string>();
        const auto blank = text.find(' ');
        merges.emplace_back(text.substr(0, blank), text.substr(blank + 1));
      }
    }
    return merges;
  }

  void write_byte_level() {
    const GgufPreTokenizer* const pre = find_gguf_pre_tokenizer_of(tokenizer_);
    if (pre == nullptr)
      refuse("way of cutting text (pre_tokenizer, normalizer)", "none that it knows", known_gguf_pre_tokenizers());
    head_.add_text("tokenizer.ggml.model", "gpt2");
    head_.add_text("tokenizer.ggml.pre", pre->name);
    write_tokens();
    std::vector<std::string> texts;
    for (const auto& [left, right] : merges()) texts.push_back(left + " " + right);
    head_.add_texts("tokenizer.ggml.merges", texts);
  }

  void write_sentencepiece() {
    const Json replaces = {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", space}};
    const Json prepends = {{"type", "Prepend"}, {"prepend", space}};
    const Json& normalizer = tokenizer_.at("normalizer");
    const bool prefix = normalizer == Json{{"type", "Sequence"}, {"normalizers", Json::array({prepends, replaces})}};
    const bool bare =
        normalizer == replaces || normalizer == Json{{"type", "Sequence"}, {"normalizers", Json::array({replaces})}};
    if (!prefix && !bare) refuse("normalizer", to_line(normalizer), "those of Llama 2 and Gemma");
    head_.add_text("tokenizer.ggml.model", "llama");
    head_.add_text("tokenizer.ggml.pre", "default");
    head_.add_boolean("tokenizer.ggml.add_space_prefix", prefix);
    write_tokens();
    head_.add_f32s("tokenizer.ggml.scores", scores(merges()));
  }

  // A token's score is the place of the first merge that makes it, as SentencePiece has it. Throws unsupported where
  // the merges are not those that follow from scores.
  std::vector<float> scores(const std::vector<Merge>& merges) const {
    GgufVocabulary vocabulary;
    vocabulary.types = vocabulary_.types;
    for (const std::string& token : vocabulary_.tokens) {
      vocabulary.ids.emplace(token, static_cast<std::int32_t>(vocabulary.tokens.size()));
      vocabulary.tokens.push_back(token);
    }
    std::vector<float> scores(vocabulary_.tokens.size(), -static_cast<float>(merges.size()));
    std::set<std::string> made;
    for (const auto& [left, right] : merges)
      if (const auto it = vocabulary.ids.find(left + right);
          it != vocabulary.ids.end() && made.insert(left + right).second)
        scores[static_cast<std::size_t>(it->second)] = -static_cast<float>(made.size());
    const auto follow = merges_from_scores(vocabulary, scores);
    if (!std::equal(follow.begin(), follow.end(), merges.begin(), merges.end(),
                    [](const auto& a, const Merge& b) { return a.first == b.first && a.second == b.second; }))
      refuse("list of merges", "one that no scores give", "SentencePiece's");
    return scores;
  }

  void write_tokens() {
    head_.add_texts("tokenizer.ggml.tokens", vocabulary_.tokens);
    std::vector<std::int32_t> types;
    for (const GgufTokenType type : vocabulary_.types) types.push_back(static_cast<std::int32_t>(type));
    head_.add_i32s("tokenizer.ggml.token_type", types);
  }

  // Whether the post-processor puts this token before or behind a text.
  bool adds(const std::string& token) const {
    const Json& post = tokenizer_.contains("post_processor") ? tokenizer_["post_processor"] : Json();
    const auto in = [&](const Json& part) {
      if (!part.is_object() || part.value("type", "") != "TemplateProcessing") return false;
      const Json& pieces = part.at("single");
      return std::any_of(pieces.begin(), pieces.end(), [&](const Json& piece) {
        return piece.contains("SpecialToken") && piece["SpecialToken"].value("id", "") == token;
      });
    };
    if (!post.is_object() || post.value("type", "") != "Sequence") return in(post);
    const Json& parts = post.at("processors");
    return std::any_of(parts.begin(), parts.end(), in);
  }

  void write_special_tokens() {
    for (const auto& [name, key] : gguf_special_tokens()) {
      if (!source_.special_tokens.contains(name)) continue;
      const auto token = source_.special_tokens[name].get<std::string>();
      const auto it = std::find(vocabulary_.tokens.begin(), vocabulary_.tokens.end(), token);
      if (it != vocabulary_.tokens.end())
        head_.add_u32(key, static_cast<std::uint32_t>(it - vocabulary_.tokens.begin()));
    }
    for (const auto& [name, key] : {std::pair{"bos_token", "tokenizer.ggml.add_bos_token"},
                                    std::pair{"eos_token", "tokenizer.ggml.add_eos_token"}})
      head_.add_boolean(key,
                        source_.special_tokens.contains(name) && adds(source_.special_tokens[name].get<std::string>()));
  }

  GgufHead& head_;
  const GgufTokenizerSource& source_;
  const Json& tokenizer_;
  const Json& model_;
  Vocabulary vocabulary_;
};

}  // namespace

void write_gguf_tokenizer(GgufHead& head, const GgufTokenizerSource& source) {
  try {
    TokenizerWriter(head, source).write();
  } catch (const Json::exception& e) {
    throw Error(Status::format, fmt::format("{} is no tokenizer: {}", source.place, e.what()),
                {{"file", source.place}});
  }
}

}  // namespace ilt
