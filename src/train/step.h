// One optimizer step: micro-batches to gradients to new weights.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "model/decoder.h"
#include "optim/optimizer.h"

namespace ilt {

struct StepOptions {
  std::int64_t step = 1;  // its number, for errors
  double lr = 0.0;
  double max_grad_norm = 0.0;
  bool skip_nonfinite = false;  // else it is an error
};

// What the micro-batches of a step add up to.
struct StepSums {
  double loss = 0.0;    // weighted sum over the targets
  double z = 0.0;       // the same of their squared log-sum-exps
  double router = 0.0;  // sum of LoadBalance::loss over the tokens
  double weight = 0.0;  // of the targets
  std::int64_t targets = 0, tokens = 0, samples = 0, micro_batches = 0;
  double seconds = 0.0;  // of forward and backward

  StepSums& operator+=(const StepSums& other);
};

// Runs the micro-batches and adds to the gradients and to the sums. Here regularisation.router_loss is the weight of a
// mean over their tokens.
void add_gradients(Decoder& decoder, std::span<const MicroBatch> batches, const Regularisation& regularisation,
                   StepSums& sums);

// What is known of a step before its update.
struct StepPlan {
  double loss = 0.0, z = 0.0;        // the sums by the divisor
  double router = 0.0;               // the same by the tokens
  double grad_norm = 0.0;            // of the gradient that the optimizer follows, before clipping
  std::optional<double> grad_scale;  // what the gradients are multiplied by; none: the weights stay as they are
  bool skipped = false;              // as something is not finite
};

// The gradient that counts is that of the sum of the token losses by `divisor`, mostly the step's whole weight of
// targets: how they are packed does not matter then. A loss or gradient that is not finite is found here, before the
// weights change; throws numeric then, or skips the step.
StepPlan plan_step(const Optimizer& optimizer, const StepSums& sums, double divisor, const StepOptions& options);

}  // namespace ilt
