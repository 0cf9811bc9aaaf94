// The gated activation: the plain form, and the CPU kernel where it applies.
#include "ops/swiglu.h"

#include <ATen/ops/mul.h>
#include <ATen/ops/sigmoid.h>

#include "ops/cpu/kernels/table.h"
#include "ops/cpu/parallel.h"

namespace ilt::ops {

void plain::swiglu(const Tensor& gate_up, Tensor out) {
  const Tensor gate = gate_up.narrow(1, 0, out.size(1));
  out.copy_(gate * gate.sigmoid() * gate_up.narrow(1, out.size(1), out.size(1)));
}

void plain::swiglu_backward(Tensor gate_up, const Tensor& dout, Tensor out) {
  const std::int64_t width = out.size(1);
  const Tensor gate = gate_up.narrow(1, 0, width);
  const Tensor up = gate_up.narrow(1, width, width);
  const Tensor sigmoid = gate.sigmoid();
  const Tensor silu = gate * sigmoid;
  out.copy_(silu * up);
  const Tensor dgate = dout * up * (sigmoid * (1 + gate * (1 - sigmoid)));
  up.copy_(dout * silu);
  gate.copy_(dgate);
}

void swiglu(const Tensor& gate_up, Tensor out) {
  if (!has_cpu_kernel({&gate_up, &out})) return plain::swiglu(gate_up, out);
  const std::int64_t width = out.size(1);
  cpu::over_rows(out.size(0), width, [&](std::int64_t begin, std::int64_t end) {
    cpu::kernels().swiglu(end - begin, width, gate_up.const_data_ptr<float>() + begin * 2 * width,
                          out.mutable_data_ptr<float>() + begin * width);
  });
}

void swiglu_backward(Tensor gate_up, const Tensor& dout, Tensor out) {
  if (!has_cpu_kernel({&gate_up, &dout, &out})) return plain::swiglu_backward(gate_up, dout, out);
  const std::int64_t width = out.size(1);
  cpu::over_rows(out.size(0), width, [&](std::int64_t begin, std::int64_t end) {
    cpu::kernels().swiglu_backward(end - begin, width, gate_up.mutable_data_ptr<float>() + begin * 2 * width,
                                   dout.const_data_ptr<float>() + begin * width,
                                   out.mutable_data_ptr<float>() + begin * width);
  });
}

}  // namespace ilt::ops
