// One optimizer step, with the checks that keep a broken one from changing the weights.
#include "train/step.h"

#include <cmath>

#include "base/clock.h"
#include "base/error.h"
#include "optim/clip.h"

namespace ilt {

namespace {

void require_finite(double value, const char* what, std::int64_t step) {
  if (std::isfinite(value)) return;
  throw Error(Status::numeric,
              fmt::format("step {}: the {} is not finite ({}); the weights were not changed by this step. Lower the "
                          "learning rate, or check the model's weights and the data",
                          step, what, std::isnan(value) ? "NaN" : "infinite"),
              {{"step", step}, {"what", what}});
}

}  // namespace

StepResult train_step(Decoder& decoder, AdamW& optimizer, std::span<const MicroBatch> batches, double lr,
                      double max_grad_norm, std::int64_t step) {
  StepResult result;
  Stopwatch watch;
  decoder.parameters().zero_gradients();
  double weight = 0;
  for (const MicroBatch& batch : batches) {
    result.loss += decoder.forward_backward(batch);
    result.targets += batch.target_count();
    weight += batch.weights.sum().item<double>();
  }
  result.seconds_forward_backward = watch.lap();
  if (weight == 0) return result;

  result.loss /= weight;
  require_finite(result.loss, "loss", step);
  result.grad_norm = gradient_norm(decoder.parameters()) / weight;
  require_finite(result.grad_norm, "gradient", step);
  optimizer.step(lr, clip_scale(result.grad_norm, max_grad_norm) / weight);
  result.seconds_optimizer = watch.lap();
  return result;
}

}  // namespace ilt
