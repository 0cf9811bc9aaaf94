// One optimizer step: micro-batches to gradients to new weights.
#pragma once

#include <cstdint>
#include <span>

#include "model/decoder.h"
#include "optim/optimizer.h"

namespace ilt {

struct StepOptions {
  std::int64_t step = 1;  // its number, for errors
  double lr = 0.0;
  double max_grad_norm = 0.0;
  double balance_loss = 0.0;      // weight of the mean of LoadBalance::loss over the step's tokens
  Regularisation regularisation;  // router_loss follows from balance_loss
  bool skip_nonfinite = false;    // else it is an error
};

struct StepResult {
  double loss = 0.0;       // weighted mean over the targets
  double z = 0.0;          // the same of their squared log-sum-exps
  double router = 0.0;     // mean of LoadBalance::loss over the tokens
  double grad_norm = 0.0;  // of the gradient that the optimizer follows, before clipping
  std::int64_t targets = 0;
  bool skipped = false;  // the weights are as before
  double seconds_forward_backward = 0.0;
  double seconds_optimizer = 0.0;
};

// Runs the micro-batches of one step and updates the weights. The gradient is that of the sum of the token losses over
// the step's whole weight of targets: how they are packed does not matter. A loss or gradient that is not finite is
// found before the weights change; throws numeric then, or skips the step.
StepResult train_step(Decoder& decoder, Optimizer& optimizer, std::span<const MicroBatch> batches,
                      const StepOptions& options);

}  // namespace ilt
