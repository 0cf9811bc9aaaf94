// Which of the CPU kernels run here, for people to read.
#pragma once

#include <string_view>

namespace ilt::ops::cpu {

// avx512, avx2 or baseline: the best that the processor has, or what the environment's ILT_CPU_ISA limits it to.
std::string_view instruction_set();

}  // namespace ilt::ops::cpu
