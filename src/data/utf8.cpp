// UTF-8 checking by the table of well-formed byte sequences (Unicode, table 3-7).
#include "data/utf8.h"

#include <cstdint>

namespace ilt {
namespace {

struct Lead {
  std::size_t length;  // 0: no lead byte
  std::uint8_t second_min, second_max;
};

Lead classify(std::uint8_t byte) noexcept {
  if (byte < 0x80) return {1, 0, 0};
  if (byte < 0xC2) return {0, 0, 0};
  if (byte < 0xE0) return {2, 0x80, 0xBF};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte < 0xF0) return {3, 0x80, 0xBF};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte < 0xF4) return {4, 0x80, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

}  // namespace

std::size_t valid_utf8_prefix(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  std::size_t at = 0;
  while (at < text.size()) {
    const Lead lead = classify(byte(at));
    if (lead.length == 0 || at + lead.length > text.size()) return at;
    if (lead.length > 1 && (byte(at + 1) < lead.second_min || byte(at + 1) > lead.second_max)) return at;
    for (std::size_t i = 2; i < lead.length; ++i) {
      if ((byte(at + i) & 0xC0) != 0x80) return at;
    }
    at += lead.length;
  }
  return at;
}

}  // namespace ilt
