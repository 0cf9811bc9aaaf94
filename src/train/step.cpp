// One optimizer step, with the checks that keep a broken one from changing the weights.
#include "train/step.h"

#include <cmath>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "optim/clip.h"

namespace ilt {

namespace {

std::string complaint(double value, const char* what, std::int64_t step) {
  return fmt::format("step {}: the {} is not finite ({}); the weights were not changed by this step", step, what,
                     std::isnan(value) ? "NaN" : "infinite");
}

// Whether the step may go on; where it may not, throws unless such steps are skipped.
bool check_finite(double value, const char* what, const StepOptions& options) {
  if (std::isfinite(value)) return true;
  const std::string message = complaint(value, what, options.step);
  if (options.skip_nonfinite) {
    log::warn("train", "{}, which is skipped", message);
    return false;
  }
  throw Error(Status::numeric,
              fmt::format("{}. Lower the learning rate, or check the model's weights and the data", message),
              {{"step", options.step}, {"what", what}});
}

}  // namespace

StepResult train_step(Decoder& decoder, Optimizer& optimizer, std::span<const MicroBatch> batches,
                      const StepOptions& options) {
  StepResult result;
  Stopwatch watch;
  decoder.parameters().zero_gradients();
  double weight = 0;
  double tokens = 0;
  for (const MicroBatch& batch : batches) {
    if (batch.target_count() == 0) continue;
    weight += batch.weights.sum().item<double>();
    tokens += static_cast<double>(batch.tokens());
  }
  Regularisation regularisation = options.regularisation;
  // Gradients are divided by the weight of the targets: this one's mean is over all tokens.
  if (tokens > 0) regularisation.router_loss = options.balance_loss * weight / tokens;
  for (const MicroBatch& batch : batches) {
    const BatchSums sums = decoder.forward_backward(batch, regularisation);
    result.loss += sums.loss;
    result.z += sums.z;
    result.router += sums.router;
    result.targets += batch.target_count();
  }
  result.seconds_forward_backward = watch.lap();
  if (weight == 0) return result;

  result.loss /= weight;
  result.z /= weight;
  result.router /= tokens;
  result.grad_norm = gradient_norm(optimizer.tensors()) / weight;
  result.skipped = !check_finite(result.loss, "loss", options) || !check_finite(result.grad_norm, "gradient", options);
  if (result.skipped) return result;
  optimizer.step(options.lr, clip_scale(result.grad_norm, options.max_grad_norm) / weight);
  result.seconds_optimizer = watch.lap();
  return result;
}

}  // namespace ilt
