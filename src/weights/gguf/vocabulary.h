// The tokens of a GGUF file, checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "weights/gguf/metadata.h"
#include "weights/gguf/tokenizer.h"

namespace ilt {

struct GgufVocabulary {
  std::vector<std::string_view> tokens;  // into the mapped file
  std::vector<GgufTokenType> types;      // as many
  std::unordered_map<std::string_view, std::int32_t> ids;

  // Tokens that only fill the vocabulary up to the model's rows are in no tokenizer.json.
  bool is_filler(std::size_t id) const;
};

// Throws format where token_type has another length or a token is there twice.
GgufVocabulary read_gguf_vocabulary(const GgufMetadata& metadata);

// The token of an id under `key` ("tokenizer.ggml.bos_token_id"), where there is such a key. Throws format for an id
// outside the vocabulary.
std::optional<std::int32_t> gguf_special_id(const GgufMetadata& metadata, const std::string& key);

// The merges of SentencePiece's BPE, which keeps scores only: every way to put a token together from two others, the
// better score first; ties as transformers has them.
std::vector<std::pair<std::string_view, std::string_view>> merges_from_scores(const GgufVocabulary& vocabulary,
                                                                              const std::vector<float>& scores);

}  // namespace ilt
