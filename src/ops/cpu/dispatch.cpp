// Chooses the kernel table for the processor that the program runs on.
#include <cstdlib>
#include <string_view>

#include "base/log.h"
#include "ops/cpu/instruction_set.h"
#include "ops/cpu/kernels/table.h"

namespace ilt::ops::cpu {

#if defined(__x86_64__)
namespace avx2 {
const KernelTable& table();
}
namespace avx512 {
const KernelTable& table();
}
#endif
namespace baseline {
const KernelTable& table();
}

namespace {

struct Choice {
  const KernelTable& table;
  std::string_view name;
};

Choice choose() {
  const char* wish = std::getenv("ILT_CPU_ISA");
  const std::string_view limit = wish != nullptr ? wish : "avx512";
  if (limit != "avx512" && limit != "avx2" && limit != "baseline")
    log::warn("ops", "ILT_CPU_ISA is '{}', expected avx512, avx2 or baseline: the best that the processor has is used",
              limit);
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx2 && limit == "avx512" && __builtin_cpu_supports("avx512f")) return {avx512::table(), "avx512"};
  if (avx2 && limit != "baseline") return {avx2::table(), "avx2"};
#endif
  return {baseline::table(), "baseline"};
}

const Choice& choice() {
  static const Choice chosen = choose();
  return chosen;
}

}  // namespace

const KernelTable& kernels() {
  return choice().table;
}

std::string_view instruction_set() {
  return choice().name;
}

}  // namespace ilt::ops::cpu
