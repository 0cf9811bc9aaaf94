// The recurrence in chunks (Dao & Gu, arXiv 2405.21060, section 6): within a chunk as masked attention, between chunks
// by the state. In double: the decay's gradient is a sum that nearly cancels, and fp32 would lose its last digits.
#include "model/parts/state_space.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/cumsum.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace ilt {

namespace {

constexpr std::int64_t chunk = 128;

}  // namespace

at::Tensor state_space(const at::Tensor& x, const at::Tensor& step, const at::Tensor& decay, const at::Tensor& b,
                       const at::Tensor& c) {
  const std::int64_t tokens = x.size(0);
  const at::TensorOptions options = x.options().dtype(at::kDouble);
  at::Tensor state = at::zeros({x.size(1), x.size(2), b.size(2)}, options);  // [heads, dim, state]
  std::vector<at::Tensor> results;
  for (std::int64_t begin = 0; begin < tokens; begin += chunk) {
    const std::int64_t n = std::min(chunk, tokens - begin);
    const auto heads_first = [&](const at::Tensor& t) { return t.narrow(0, begin, n).transpose(0, 1).to(at::kDouble); };
    const at::Tensor dt = heads_first(step);                        // [heads, n]
    const at::Tensor total = (dt * decay.unsqueeze(-1)).cumsum(1);  // log of the decay since the chunk's begin
    const at::Tensor inputs = heads_first(x) * dt.unsqueeze(-1);    // [heads, n, dim]
    const at::Tensor bs = heads_first(b);
    const at::Tensor cs = heads_first(c);
    // log of the decay from token s to token t
    const at::Tensor between = total.unsqueeze(2) - total.unsqueeze(1);
    const at::Tensor later = at::ones({n, n}, options.dtype(at::kBool)).triu(1);
    const at::Tensor mask = between.masked_fill(later, -std::numeric_limits<double>::infinity()).exp();
    const at::Tensor within = at::matmul(at::matmul(cs, bs.transpose(1, 2)) * mask, inputs);
    const at::Tensor before = at::matmul(cs * total.exp().unsqueeze(-1), state.transpose(1, 2));
    results.push_back((within + before).transpose(0, 1));
    const at::Tensor end = total.narrow(1, n - 1, 1);
    const at::Tensor kept = inputs * (end - total).exp().unsqueeze(-1);
    state = state * end.exp().unsqueeze(-1) + at::matmul(kept.transpose(1, 2), bs);
  }
  return at::cat(results).to(x.scalar_type());
}

}  // namespace ilt
