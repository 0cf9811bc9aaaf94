// Memory of this process.
#pragma once

#include <cstdint>

namespace ilt {

// The most physical memory that the process has held so far, in bytes; 0 where the system does not tell.
std::int64_t peak_host_bytes() noexcept;

}  // namespace ilt
