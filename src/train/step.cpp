// One optimizer step, with the checks that keep a broken one from changing the weights.
#include "train/step.h"

#include <algorithm>
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

StepSums& StepSums::operator+=(const StepSums& other) {
  loss += other.loss;
  z += other.z;
  router += other.router;
  weight += other.weight;
  targets += other.targets;
  tokens += other.tokens;
  samples += other.samples;
  micro_batches += other.micro_batches;
  seconds += other.seconds;
  return *this;
}

void add_gradients(Decoder& decoder, std::span<const MicroBatch> batches, const Regularisation& regularisation,
                   StepSums& sums) {
  const Stopwatch watch;
  StepSums added;
  std::int64_t largest = 0;
  for (const MicroBatch& batch : batches) {
    largest = std::max(largest, batch.tokens());
    added.weight += batch.weights.sum(at::kDouble).item<double>();
    added.targets += batch.target_count();
    added.tokens += batch.tokens();
    ++added.micro_batches;
  }
  decoder.prepare_training(largest);
  // All gradients will be divided by the weight of the targets: this one's mean is over the tokens.
  Regularisation scaled = regularisation;
  if (scaled.router_loss > 0) scaled.router_loss *= added.weight / static_cast<double>(added.tokens);
  for (const MicroBatch& batch : batches) {
    const BatchSums part = decoder.forward_backward(batch, scaled);
    added.loss += part.loss;
    added.z += part.z;
    added.router += part.router;
  }
  added.seconds = watch.seconds();
  sums += added;
}

StepPlan plan_step(const Optimizer& optimizer, const StepSums& sums, double divisor, const StepOptions& options) {
  StepPlan plan;
  if (divisor == 0) return plan;
  plan.loss = sums.loss / divisor;
  plan.z = sums.z / divisor;
  plan.router = sums.router / static_cast<double>(sums.tokens);
  plan.grad_norm = gradient_norm(optimizer.tensors()) / divisor;
  plan.skipped = !check_finite(plan.loss, "loss", options) || !check_finite(plan.grad_norm, "gradient", options);
  if (!plan.skipped) plan.grad_scale = clip_scale(plan.grad_norm, options.max_grad_norm) / divisor;
  return plan;
}

}  // namespace ilt
