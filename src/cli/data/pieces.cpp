// Text of tokens by decoding them in their context: some decoders drop a blank at a text's beginning.
#include "cli/data/pieces.h"

#include <algorithm>
#include <string_view>

namespace ilt_cli {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";
constexpr std::size_t most_tokens_a_character = 8;

std::string decode(const ilt_tokenizer* tokenizer, std::span<const std::int32_t> ids) {
  return text_of(ilt_tokenizer_decode, tokenizer, ids.data(), ids.size(), 0);
}

}  // namespace

std::vector<Piece> split_into_pieces(const ilt_tokenizer* tokenizer, std::span<const std::int32_t> ids,
                                     std::span<const std::int32_t> labels) {
  std::vector<Piece> pieces;
  for (std::size_t begin = 0; begin < ids.size();) {
    // The token before gives the context, unless it is part of a character itself.
    std::size_t context = begin > 0 ? begin - 1 : 0;
    std::string before = decode(tokenizer, ids.subspan(context, begin - context));
    if (before.find(replacement) != std::string::npos) {
      context = begin;
      before.clear();
    }
    std::size_t end = begin;
    std::string text;
    do {
      ++end;
      text = decode(tokenizer, ids.subspan(context, end - context));
    } while (text.ends_with(replacement) && end < ids.size() && end - begin < most_tokens_a_character);
    if (text.starts_with(before)) text.erase(0, before.size());
    const auto group = ids.subspan(begin, end - begin);
    pieces.push_back({text, {group.begin(), group.end()}, labels[begin] >= 0});
    begin = end;
  }
  return pieces;
}

}  // namespace ilt_cli
