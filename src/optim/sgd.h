// Stochastic gradient descent with momentum, as torch.optim.SGD computes it (Sutskever et al., ICML 2013).
#pragma once

#include "optim/trained_tensor.h"
#include "optim/update_rule.h"

namespace ilt {

struct SgdOptions {
  double momentum = 0.0;  // 0: none, and no state
  bool nesterov = false;
};

class Sgd : public UpdateRule {
 public:
  Sgd(const TrainedTensor& tensor, const SgdOptions& options);

  void update(const UpdateStep& step) override;
  std::vector<NamedTensor> state() const override;

 private:
  TrainedTensor tensor_;
  SgdOptions options_;
  at::Tensor momentum_;  // undefined without momentum
};

}  // namespace ilt
