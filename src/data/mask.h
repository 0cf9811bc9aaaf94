// Which tokens of a rendered conversation are to be learnt.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/turns.h"
#include "text/tokenizer.h"

namespace ilt {

struct Mask {
  std::vector<bool> learnt;  // a token
  std::int64_t assistant_turns = 0;
  std::int64_t unterminated = 0;  // assistant turns with no terminator to learn
  std::string terminator;         // of the last assistant turn that has one, as text
};

// Spans are mapped to tokens by the tokens' byte offsets: a token is learnt where its first byte is in a turn, or where
// only blanks (no line break) of it come before the turn.
//
// The terminator, learnt at the end of an assistant's turn: what the template prints after the turn's last text, up to
// and with the first special token and those that follow it without a gap (so "<|im_end|>", not the line break after
// it); after a tool call, all of it but the blanks at its end; where it holds no special token, the same; where the
// turn prints nothing after its text (or no special token after a tool call), the special token that starts the next
// turn (GLM's "<|user|>"); where it prints only blanks, these. Other roles' turns have none to learn.
Mask mask_tokens(const std::vector<Turn>& turns, const std::string& text, const Encoding& encoding,
                 const Tokenizer& tokenizer);

}  // namespace ilt
