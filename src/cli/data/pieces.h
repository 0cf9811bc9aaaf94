// A sample's tokens as text: the smallest groups of tokens that are whole characters, each with its mask.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cli/client.h"

namespace ilt_cli {

struct Piece {
  std::string text;
  std::vector<std::int32_t> ids;  // one, or those that share a character
  bool learnt = false;            // the first of them
};

std::vector<Piece> split_into_pieces(const ilt_tokenizer* tokenizer, std::span<const std::int32_t> ids,
                                     std::span<const std::int32_t> labels);

}  // namespace ilt_cli
