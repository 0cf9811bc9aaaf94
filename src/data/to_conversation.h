// Records of the chat formats to conversations.
#pragma once

#include "data/conversation.h"
#include "data/format.h"

namespace ilt {

// For messages, sharegpt, alpaca and prompt_completion. Says in `train` what is to be learnt: the assistant's messages;
// with "unmask": true those of all roles but system; of prompt and completion the completion; never where a message has
// "train": false. With `last_turn_only`, of assistants' messages only the last of these. Throws data.
Conversation to_conversation(Format format, const Json& record, const Place& place, bool last_turn_only);

}  // namespace ilt
