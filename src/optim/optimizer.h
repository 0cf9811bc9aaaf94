// The optimizer of a run: a rule for each trained tensor, and the count of steps.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "optim/trained_tensor.h"
#include "optim/update_rule.h"

namespace ilt {

class Optimizer {
 public:
  using MakeRule = std::function<std::unique_ptr<UpdateRule>(const TrainedTensor&)>;

  // `kind` is its name among the options. The rules take the memory of their state here.
  Optimizer(std::string kind, std::vector<TrainedTensor> tensors, const MakeRule& make_rule);

  const std::string& kind() const noexcept { return kind_; }
  std::span<const TrainedTensor> tensors() const noexcept { return tensors_; }

  // One update of all tensors, with every gradient multiplied by grad_scale first. Gradients are left as they are.
  void step(double lr, double grad_scale);
  std::int64_t steps_done() const noexcept { return steps_; }

  // What a checkpoint holds beside the number of steps: torch.optim's key and the tensor's name ("exp_avg.NAME"). Of
  // any type; the tensors are the optimizer's own.
  std::vector<NamedTensor> state() const;
  void set_steps_done(std::int64_t steps) noexcept { steps_ = steps; }

 private:
  std::string kind_;
  std::vector<TrainedTensor> tensors_;
  std::vector<std::unique_ptr<UpdateRule>> rules_;  // one a tensor
  std::int64_t steps_ = 0;
};

}  // namespace ilt
