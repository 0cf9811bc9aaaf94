// Lion (Chen et al., arXiv 2302.06675, algorithm 2): steps of one size, in the sign of a momentum.
#pragma once

#include "optim/trained_tensor.h"
#include "optim/update_rule.h"

namespace ilt {

struct LionOptions {
  double beta1 = 0.9;
  double beta2 = 0.99;
};

class Lion : public UpdateRule {
 public:
  Lion(const TrainedTensor& tensor, const LionOptions& options);

  void update(const UpdateStep& step) override;
  std::vector<NamedTensor> state() const override;

 private:
  TrainedTensor tensor_;
  LionOptions options_;
  at::Tensor mean_;
};

}  // namespace ilt
