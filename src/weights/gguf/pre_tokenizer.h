// How text is cut before byte pairs are merged: GGUF's names for it (tokenizer.ggml.pre), and tokenizer.json's terms.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/json.h"

namespace ilt {

struct GgufPreTokenizer {
  const char* name;
  std::span<const char* const> splits;  // regular expressions, each applied to what those before it left
  bool single_digits = false;           // each digit by itself,
  bool gpt2 = false;                    // then GPT-2's own expression
  bool whole_words = false;             // a word that is a token stays whole, whatever the merges say
  bool adds_bos = false;                // where the file does not say
  bool nfc = false;                     // the text is composed first
};

// nullptr for a name that libilt does not know.
const GgufPreTokenizer* find_gguf_pre_tokenizer(std::string_view name);
// The one that a tokenizer.json (parsed) has; nullptr where it is none of them.
const GgufPreTokenizer* find_gguf_pre_tokenizer_of(const Json& tokenizer);
std::string known_gguf_pre_tokenizers();

// For tokenizer.json: "pre_tokenizer".
Json pre_tokenizer_json(const GgufPreTokenizer& pre);

}  // namespace ilt
