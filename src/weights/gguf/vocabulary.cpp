// Tokens, their types, and merges from scores.
#include "weights/gguf/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "weights/gguf/fault.h"
#include "weights/safetensors_fault.h"

namespace ilt {
namespace {

constexpr auto tokens_key = "tokenizer.ggml.tokens";
constexpr auto types_key = "tokenizer.ggml.token_type";

bool begins_character(std::string_view text, std::size_t at) {
  return (static_cast<unsigned char>(text[at]) & 0xc0U) != 0x80U;
}

std::size_t characters(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) count += begins_character(text, i) ? 1 : 0;
  return count;
}

}  // namespace

bool GgufVocabulary::is_filler(std::size_t id) const {
  return types[id] == GgufTokenType::unused && tokens[id] == fmt::format("[PAD{}]", id);
}

GgufVocabulary read_gguf_vocabulary(const GgufMetadata& metadata) {
  GgufVocabulary vocabulary;
  vocabulary.tokens = metadata.texts(tokens_key);
  const std::size_t count = vocabulary.tokens.size();
  vocabulary.types.assign(count, GgufTokenType::normal);
  if (metadata.has(types_key)) {
    const std::vector<std::int64_t> types = metadata.integers(types_key);
    if (types.size() != count)
      fail_gguf(metadata.path(), {types_key, fmt::format("{} types", types.size()), fmt::format("{}", count)});
    std::transform(types.begin(), types.end(), vocabulary.types.begin(),
                   [](std::int64_t type) { return static_cast<GgufTokenType>(type); });
  }
  vocabulary.ids.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    if (!vocabulary.ids.emplace(vocabulary.tokens[i], static_cast<std::int32_t>(i)).second)
      fail_gguf(metadata.path(), {fmt::format("{}, entry {}", tokens_key, i),
                                  fmt::format("the token {} of entry {}", shown_name(vocabulary.tokens[i]),
                                              vocabulary.ids.at(vocabulary.tokens[i])),
                                  "each token once"});
  return vocabulary;
}

std::optional<std::int32_t> gguf_special_id(const GgufMetadata& metadata, const std::string& key) {
  if (!metadata.has(key)) return {};
  const std::int64_t id = metadata.integer(key);
  const auto count = static_cast<std::int64_t>(metadata.count(tokens_key));
  if (id < 0 || id >= count)
    fail_gguf(metadata.path(), {key, fmt::format("{}", id), fmt::format("the id of one of {} tokens", count)});
  return static_cast<std::int32_t>(id);
}

std::vector<std::pair<std::string_view, std::string_view>> merges_from_scores(const GgufVocabulary& vocabulary,
                                                                              const std::vector<float>& scores) {
  struct Merge {
    std::string_view left, right;
    float score;
    std::size_t left_length, right_length;
  };
  std::vector<Merge> merges;
  for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id) {
    const std::string_view token = vocabulary.tokens[id];
    std::vector<std::pair<std::pair<std::int32_t, std::int32_t>, std::size_t>> cuts;
    for (std::size_t at = 1; at < token.size(); ++at) {
      if (!begins_character(token, at)) continue;
      const auto left = vocabulary.ids.find(token.substr(0, at));
      const auto right = vocabulary.ids.find(token.substr(at));
      if (left != vocabulary.ids.end() && right != vocabulary.ids.end())
        cuts.push_back({{left->second, right->second}, at});
    }
    std::sort(cuts.begin(), cuts.end());
    for (const auto& [ids, at] : cuts)
      merges.push_back({token.substr(0, at), token.substr(at), scores[id], characters(token.substr(0, at)),
                        characters(token.substr(at))});
  }
  std::stable_sort(merges.begin(), merges.end(), [](const Merge& a, const Merge& b) {
    return std::tie(b.score, b.left_length, b.right_length) < std::tie(a.score, a.left_length, a.right_length);
  });
  std::vector<std::pair<std::string_view, std::string_view>> pairs;
  pairs.reserve(merges.size());
  for (const Merge& m : merges) pairs.emplace_back(m.left, m.right);
  return pairs;
}

}  // namespace ilt
