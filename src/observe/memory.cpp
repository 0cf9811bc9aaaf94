// Peak resident memory, as the system counts it.
#include "observe/memory.h"

#include <sys/resource.h>

namespace ilt {

std::int64_t peak_host_bytes() noexcept {
  struct rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) return 0;
#if defined(__APPLE__)
  return usage.ru_maxrss;
#else
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
#endif
}

}  // namespace ilt
