// How parts get the memory of their activations, and the first rows of it.
#pragma once

#include <functional>

#include "ops/tensor.h"

namespace ilt {

enum class BufferUse {
  training,   // every block keeps what its backward needs
  inference,  // blocks share one set
};

using Allocate = std::function<at::Tensor(at::IntArrayRef shape)>;

// The first n rows; what a part does not have stays undefined.
inline at::Tensor first_rows(const at::Tensor& t, std::int64_t n) {
  return t.defined() ? t.narrow(0, 0, n) : t;
}

}  // namespace ilt
