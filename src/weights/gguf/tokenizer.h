// The tokenizer of a GGUF file (tokenizer.ggml.*) as the tokenizer.json and tokenizer_config.json of a folder.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "base/json.h"
#include "weights/gguf/metadata.h"

namespace ilt {

// ggml's kinds of tokens (tokenizer.ggml.token_type).
enum class GgufTokenType { normal = 1, unknown = 2, control = 3, user_defined = 4, unused = 5, byte = 6 };

// Special tokens: tokenizer_config.json's names of them, and the keys of their ids.
std::span<const std::pair<const char*, const char*>> gguf_special_tokens();

// Whether the file has one.
bool has_gguf_tokenizer(const GgufMetadata& metadata);

// Byte-level BPE ("gpt2") as it is; SentencePiece's BPE ("llama") with merges made from its scores. Throws format, and
// unsupported, naming it, for a kind of tokenizer or of cutting text that libilt does not know.
std::string gguf_tokenizer_json(const GgufMetadata& metadata);

// Special tokens, chat templates, and whether BOS and EOS are added.
Json gguf_tokenizer_config(const GgufMetadata& metadata);

}  // namespace ilt
