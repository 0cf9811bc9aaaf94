// The optimizers by name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "optim/optimizer.h"

namespace ilt {

// What is not given is the chosen optimizer's own default; what it has no use for is not looked at.
struct OptimizerOptions {
  std::string kind = "adamw";
  std::optional<double> beta1 = {};
  std::optional<double> beta2 = {};
  double eps = 1e-8;
  std::optional<double> momentum = {};
  std::optional<bool> nesterov = {};
  double beta2_decay = -0.8;
  std::string muon_adjust = "match_rms_adamw";
};

// Throws config with the names that are known.
Optimizer make_optimizer(const OptimizerOptions& options, std::vector<TrainedTensor> tensors);

}  // namespace ilt
