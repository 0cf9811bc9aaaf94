// The AdamW optimizer over a model's parameters.
#pragma once

#include <cstdint>
#include <vector>

#include "model/parameter.h"

namespace ilt {

struct AdamWOptions {
  double beta1 = 0.9;
  double beta2 = 0.95;
  double eps = 1e-8;
  double weight_decay = 0.0;
};

class AdamW {
 public:
  // Both moments start at zero; their memory is allocated here. `parameters` must outlive the optimizer.
  AdamW(ParameterSet& parameters, const AdamWOptions& options);

  // One update with every gradient multiplied by grad_scale first. Gradients are left as they are.
  void step(double lr, double grad_scale);
  std::int64_t steps_done() const noexcept { return steps_; }

  // What a checkpoint holds: both moments of each parameter, under torch.optim's names ("exp_avg.NAME"), and the number
  // of steps. The tensors are the optimizer's own.
  std::vector<NamedTensor> state() const;
  void set_steps_done(std::int64_t steps) noexcept { steps_ = steps; }

 private:
  struct Moments {
    at::Tensor first, second;
  };
  ParameterSet& parameters_;
  AdamWOptions options_;
  std::vector<Moments> moments_;
  std::int64_t steps_ = 0;
};

}  // namespace ilt
