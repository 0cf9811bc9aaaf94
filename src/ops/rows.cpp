// Rows by index: ATen's form, and on the CPU a loop whose order never changes.
#include "ops/rows.h"

#include <ATen/ops/index_add.h>
#include <ATen/ops/index_select.h>

#include "ops/cpu/parallel.h"

namespace ilt::ops {

void gather_rows(const Tensor& table, const Tensor& index, Tensor out) {
  at::index_select_out(out, table, 0, index);
}

void add_rows(Tensor table, const Tensor& index, const Tensor& rows) {
  if (!has_cpu_kernel({&table, &rows})) {
    table.index_add_(0, index, rows);
    return;
  }
  const std::int64_t width = table.size(1);
  const std::int64_t* target = index.const_data_ptr<std::int64_t>();
  float* base = table.mutable_data_ptr<float>();
  const float* source = rows.const_data_ptr<float>();
  // Threads split the columns, so that equal indices meet in one thread, in order.
  at::parallel_for(0, width, 64, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = 0; i < index.numel(); ++i)
      for (std::int64_t j = begin; j < end; ++j) base[target[i] * width + j] += source[i * width + j];
  });
}

}  // namespace ilt::ops
