// A conversation in the one form that rendering and masking take, whatever the record looked like.
#pragma once

#include <vector>

#include "base/json.h"
#include "data/record_error.h"

namespace ilt {

struct Conversation {
  Json messages = Json::array();    // {role, content, ...}: known roles, content a string or absent
  Json variables = Json::object();  // further template variables: tools, documents, chat_template_kwargs' own
  std::vector<bool> train;          // a message: whether it is to be learnt
};

// Brings one message to that form: `from`/`value` and ShareGPT's role names are taken, text parts joined, nulls
// dropped, `train` moved out. Errors count messages from 1 (their detail from 0).
// Throws data where the role is unknown or a value has a wrong type.
void add_message(Conversation& conversation, const Json& message, const Place& place);

}  // namespace ilt
