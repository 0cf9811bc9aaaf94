// UTF-8 checking.
#pragma once

#include <cstddef>
#include <string_view>

namespace ilt {

// The offset of the first byte that is no part of valid UTF-8 (RFC 3629); text.size() where all is valid.
std::size_t valid_utf8_prefix(std::string_view text) noexcept;

}  // namespace ilt
