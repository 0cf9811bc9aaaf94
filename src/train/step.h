// One optimizer step: micro-batches to gradients to new weights.
#pragma once

#include <cstdint>
#include <span>

#include "model/decoder.h"
#include "optim/adamw.h"

namespace ilt {

struct StepResult {
  double loss = 0.0;       // weighted mean over the targets
  double grad_norm = 0.0;  // of the mean loss, before clipping
  std::int64_t targets = 0;
  double seconds_forward_backward = 0.0;
  double seconds_optimizer = 0.0;
};

// Runs the micro-batches of one step and updates the weights. The gradient is that of the sum of the token losses over
// the step's whole weight of targets: how they are packed does not matter. `step` names the step in errors.
// Throws numeric, before the weights change, where the loss or the gradient is not finite.
StepResult train_step(Decoder& decoder, AdamW& optimizer, std::span<const MicroBatch> batches, double lr,
                      double max_grad_norm, std::int64_t step);

}  // namespace ilt
