// What an optimizer does with one tensor: the state that it keeps of it, and one update of its values.
#pragma once

#include <cstdint>
#include <vector>

#include "model/parameter.h"

namespace ilt {

// The numbers of one update of one tensor.
struct UpdateStep {
  double lr = 0.0;          // with the tensor's own factor
  double grad_scale = 1.0;  // what its gradient is multiplied by first
  std::int64_t step = 1;    // the how-manieth update, from 1
};

class UpdateRule {
 public:
  virtual ~UpdateRule() = default;

  // The gradient is left as it is.
  virtual void update(const UpdateStep& step) = 0;
  // What is carried from update to update, under the keys of torch.optim; the tensors are the rule's own.
  virtual std::vector<NamedTensor> state() const = 0;
};

}  // namespace ilt
