// Where the messages of a conversation stand in its rendered text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "data/conversation.h"
#include "text/chat_template.h"

namespace ilt {

// The part of the rendered text that one message to be learnt takes.
struct Turn {
  std::size_t message = 0;      // its index in the conversation
  bool by_assistant = false;    // only an assistant's turn has a terminator to be learnt
  bool ends_with_call = false;  // a tool call, whose closing text comes before the terminator, was printed last
  std::size_t begin = 0;        // first byte that the role says: reasoning, content or call, with what opens them
  std::size_t end = 0;          // past the last byte known to be of the message
  std::size_t tail_end = 0;     // past what the template prints before the next message starts
  bool tail_is_exact = true;    // else tail_end is only a bound: the turn's own end lies somewhere before it
};

// How it is found: the template renders the conversation once more with a mark before and after every text of interest.
// Without its marks the result must equal `text`, else the template does something to texts that marks disturb, and
// other places for the marks are tried. What opens a turn (the generation prompt) and what closes it come from
// rendering the conversation's beginnings.
//
// `text` is the plain rendering. Throws data with the reason where that cannot be found out.
std::vector<Turn> find_turns(const ChatTemplate& chat, const Conversation& conversation, const std::string& text);

}  // namespace ilt
