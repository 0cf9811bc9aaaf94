// Causal attention: tasks for the CPU kernel, or the plain form.
#include "ops/attention.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "ops/cpu/kernels/table.h"
#include "ops/cpu/parallel.h"

namespace ilt::ops {

namespace {

// A stretch of one sample for one (key-value) head.
struct Task {
  std::int64_t start, length, head, q_begin, q_end;
};

cpu::AttentionShape kernel_shape_of(const AttentionHeads& shape) {
  return {.heads = shape.heads,
          .kv_heads = shape.kv_heads,
          .head_dim = shape.head_dim,
          .window = shape.window > 0 ? shape.window : std::numeric_limits<std::int64_t>::max() / 2,
          .scale = static_cast<float>(shape.scale),
          .softcap = static_cast<float>(shape.softcap)};
}

}  // namespace

void attention(const AttentionHeads& shape, Segments starts, const Tensor& qkv, Tensor out, Tensor lse) {
  if (!has_cpu_kernel({&qkv, &out, &lse})) return plain::attention(shape, starts, qkv, out, lse);
  const cpu::AttentionShape kernel_shape = kernel_shape_of(shape);
  constexpr std::int64_t stretch = 4 * cpu::attention_tile;
  std::vector<Task> tasks;
  std::vector<std::int64_t> costs;
  for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
    const std::int64_t length = starts[s + 1] - starts[s];
    for (std::int64_t h = 0; h < shape.heads; ++h) {
      for (std::int64_t q = 0; q < length; q += stretch) {
        const std::int64_t end = std::min(length, q + stretch);
        tasks.push_back({starts[s], length, h, q, end});
        costs.push_back((end - q) * (end + q));
      }
    }
  }
  cpu::over_tasks(costs, [&](std::size_t i) {
    const Task& t = tasks[i];
    const std::int64_t row = t.start + t.q_begin;
    cpu::kernels().attention(kernel_shape, t.head, t.q_begin, t.q_end,
                             qkv.const_data_ptr<float>() + t.start * kernel_shape.row_stride(),
                             out.mutable_data_ptr<float>() + row * kernel_shape.out_stride(),
                             lse.mutable_data_ptr<float>() + row * shape.heads);
  });
}

void attention_tail(const AttentionHeads& shape, std::int64_t first, const Tensor& qkv, Tensor out, Tensor lse) {
  const std::int64_t length = qkv.size(0);
  if (!has_cpu_kernel({&qkv, &out, &lse})) {
    const Tensor whole = at::empty({length, out.size(1)}, out.options());
    const Tensor whole_lse = at::empty({length, shape.heads}, out.options());
    const std::vector<std::int64_t> starts = {0, length};
    plain::attention(shape, starts, qkv, whole, whole_lse);
    out.copy_(whole.narrow(0, first, length - first));
    lse.copy_(whole_lse.narrow(0, first, length - first));
    return;
  }
  const cpu::AttentionShape kernel_shape = kernel_shape_of(shape);
  at::parallel_for(0, shape.heads, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t h = begin; h < end; ++h)
      cpu::kernels().attention(kernel_shape, h, first, length, qkv.const_data_ptr<float>(),
                               out.mutable_data_ptr<float>(), lse.mutable_data_ptr<float>());
  });
}

void attention_backward(const AttentionHeads& shape, Segments starts, const Tensor& qkv, const Tensor& out,
                        const Tensor& lse, const Tensor& dout, Tensor dqkv) {
  if (!has_cpu_kernel({&qkv, &out, &lse, &dout, &dqkv}))
    return plain::attention_backward(shape, starts, qkv, out, lse, dout, dqkv);
  const cpu::AttentionShape kernel_shape = kernel_shape_of(shape);
  std::vector<Task> tasks;
  std::vector<std::int64_t> costs;
  for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
    const std::int64_t length = starts[s + 1] - starts[s];
    for (std::int64_t h = 0; h < shape.kv_heads; ++h) {
      tasks.push_back({starts[s], length, h, 0, length});
      costs.push_back(length * length);
    }
  }
  cpu::over_tasks(costs, [&](std::size_t i) {
    const Task& t = tasks[i];
    const std::int64_t row = t.start * kernel_shape.row_stride();
    const std::int64_t out_row = t.start * kernel_shape.out_stride();
    cpu::kernels().attention_backward(kernel_shape, t.head, t.length, qkv.const_data_ptr<float>() + row,
                                      out.const_data_ptr<float>() + out_row,
                                      lse.const_data_ptr<float>() + t.start * shape.heads,
                                      dout.const_data_ptr<float>() + out_row, dqkv.mutable_data_ptr<float>() + row);
  });
}

}  // namespace ilt::ops
