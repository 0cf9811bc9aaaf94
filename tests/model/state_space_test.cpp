// The chunked recurrence of state-space layers against the recurrence as it is written, over several chunks.
#include "model/parts/state_space.h"

#include <ATen/ATen.h>

#include <vector>

#include "ops/support.h"

namespace ilt::test {
namespace {

Tensor step_by_step(const Tensor& x, const Tensor& step, const Tensor& decay, const Tensor& b, const Tensor& c) {
  Tensor state = at::zeros({x.size(1), x.size(2), b.size(2)}, x.options());
  std::vector<Tensor> results;
  for (std::int64_t t = 0; t < x.size(0); ++t) {
    const Tensor dt = step[t].unsqueeze(-1);
    state = state * (dt * decay.unsqueeze(-1)).exp().unsqueeze(-1) + (x[t] * dt).unsqueeze(-1) * b[t].unsqueeze(1);
    results.push_back(at::matmul(state, c[t].unsqueeze(-1)).squeeze(-1));
  }
  return at::stack(results);
}

TEST(StateSpace, ChunksEqualTheRecurrence) {
  constexpr std::int64_t tokens = 300, heads = 3, dim = 4, state = 5;
  const Tensor x = random({tokens, heads, dim}, 1);
  const Tensor step = random({tokens, heads}, 2).abs() * 0.3;
  const Tensor decay = -random({heads}, 3).abs();
  const Tensor b = random({tokens, heads, state}, 4);
  const Tensor c = random({tokens, heads, state}, 5);
  const Tensor dy = random({tokens, heads, dim}, 6);

  std::vector<Tensor> expected, found;
  for (const Tensor& t : {x, step, decay, b, c}) {
    expected.push_back(leaf(t));
    found.push_back(t.clone().set_requires_grad(true));
  }
  const Tensor y = step_by_step(expected[0], expected[1], expected[2], expected[3], expected[4]);
  y.backward(dy.to(at::kDouble));
  const Tensor chunked = state_space(found[0], found[1], found[2], found[3], found[4]);
  chunked.backward(dy);
  EXPECT_LT(distance(chunked, y), 1e-6);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_LT(distance(found[i].grad(), expected[i].grad()), 1e-6) << i;
}

}  // namespace
}  // namespace ilt::test
