// AdamW (Loshchilov & Hutter, arXiv 1711.05101) as torch.optim.AdamW computes it.
#pragma once

#include "ops/adamw.h"
#include "optim/trained_tensor.h"
#include "optim/update_rule.h"

namespace ilt {

struct AdamWOptions {
  double beta1 = 0.9;
  double beta2 = 0.95;
  double eps = 1e-8;
};

// What the kernel takes.
ops::AdamWStep adamw_step(const AdamWOptions& options, double weight_decay, const UpdateStep& step);

class AdamW : public UpdateRule {
 public:
  AdamW(const TrainedTensor& tensor, const AdamWOptions& options);

  void update(const UpdateStep& step) override;
  std::vector<NamedTensor> state() const override;

 private:
  TrainedTensor tensor_;
  AdamWOptions options_;
  at::Tensor mean_, mean_square_;
};

}  // namespace ilt
