// A tokenizer.json as the metadata of a GGUF file.
#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"
#include "weights/gguf/writer.h"

namespace ilt {

struct GgufTokenizerSource {
  Json tokenizer;             // a tokenizer.json that has been read as a tokenizer
  std::string place;          // of it, for messages
  Json special_tokens;        // names ("bos_token") to text
  std::string chat_template;  // empty: none
  std::int64_t vocab = 0;     // rows of the embeddings: ids without a token are filled up to it
};

// Adds tokenizer.*. Throws unsupported, saying what, for a tokenizer that llama.cpp has no kind for.
void write_gguf_tokenizer(GgufHead& head, const GgufTokenizerSource& source);

}  // namespace ilt
