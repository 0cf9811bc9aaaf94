// Sessions: the steps, on the session's data or on a host's batches.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/rng.h"
#include "observe/memory.h"
#include "train/session_impl.h"

namespace ilt {
namespace {

double positive_divisor(double asked, const StepSums& sums) {
  if (asked > 0 && std::isfinite(asked)) return asked;
  if (asked != 0) fail(Status::invalid_argument, "the divisor is {}, expected a positive number, or 0", asked);
  // What is not finite is for the step to tell.
  if (sums.weight > 0 || !std::isfinite(sums.weight)) return sums.weight;
  fail(Status::invalid_argument, "the weights of the labels add up to {}: give a divisor", sums.weight);
}

}  // namespace

void Session::Impl::require_data() const {
  if (!training || !training->source)
    fail(Status::invalid_state, "this session has no training data: give data_path, or data sets");
  if (has_gradients())
    fail(Status::invalid_state,
         "gradients of the host's own loop wait for their step: call ilt_optimizer_step or ilt_zero_grad before");
}

bool Session::Impl::has_ended(std::int64_t step) const {
  const std::int64_t total = training->schedule.total_steps;
  return step >= total && (total > 0 || training->source);
}

double Session::Impl::rate_of(std::int64_t step) const {
  if (const double set = host_lr.load(); set != lr_of_schedule) return set;
  if (training->schedule.total_steps == 0 && has_end(training->schedule.kind))
    throw Error(
        Status::config,
        fmt::format("option 'lr_scheduler': {} must know the end of the run: give max_steps, or set the rate, or "
                    "take constant",
                    config.lr_scheduler),
        {{"key", "lr_scheduler"}, {"got", config.lr_scheduler}});
  return learning_rate(training->schedule, step);
}

Regularisation Session::Impl::regularisation() const {
  // The noise of a step is its own, whatever came before.
  const auto step = static_cast<std::uint64_t>(progress.metrics.step);
  return {.z_loss = config.z_loss,
          .router_loss = training->balance_loss,
          .neftune_alpha = config.neftune_alpha,
          .seed = SplitMix64(config.seed ^ SplitMix64(step).next()).next()};
}

StepOptions Session::Impl::step_options(std::int64_t step) const {
  return {.step = step + 1,
          .lr = rate_of(step),
          .max_grad_norm = config.max_grad_norm,
          .skip_nonfinite = config.on_nonfinite == "skip"};
}

// The update that the sums and their gradients ask for, and what is then known of the run.
void Session::Impl::update(const StepOptions& options, const StepSums& sums, double divisor, double seconds_data,
                           double seconds) {
  Stopwatch watch;
  const StepPlan plan = plan_step(training->optimizer, sums, divisor, options);
  Progress now = progress;
  now.skipped_in_a_row = plan.skipped ? progress.skipped_in_a_row + 1 : 0;
  if (now.skipped_in_a_row > config.max_skipped_steps)
    throw Error(Status::numeric,
                fmt::format("step {}: {} steps one after another had a loss or gradient that is not finite, more than "
                            "max_skipped_steps ({}); go back to an earlier checkpoint, with a lower learning rate",
                            options.step, now.skipped_in_a_row, config.max_skipped_steps),
                {{"step", options.step}, {"key", "max_skipped_steps"}});
  if (plan.grad_scale) soundness.across([&] { training->optimizer.step(options.lr, *plan.grad_scale); });
  StepMetrics& m = now.metrics;
  m.epoch = training->source ? training->source->sampler.epoch_of(options.step - 1) : 0;
  m.step = options.step;
  m.lr = options.lr;
  m.loss = plan.loss;
  m.z_loss = config.z_loss * plan.z;
  m.router_loss = training->balance_loss * plan.router;
  m.grad_norm = plan.grad_norm;
  m.skipped_steps += plan.skipped;
  m.num_loss_counted_tokens = sums.targets;
  m.num_tokens = sums.tokens;
  m.num_minibatches = sums.micro_batches;
  m.batch_size = sums.samples;
  m.samples_seen += m.batch_size;
  m.tokens_seen += m.num_tokens;
  m.seconds_data = seconds_data;
  m.seconds_forward_backward = sums.seconds;
  m.seconds_optimizer = watch.seconds();
  m.step_seconds = seconds + m.seconds_optimizer;
  m.peak_host_bytes = peak_host_bytes();
  run_has_ended = false;
  const std::lock_guard lock(progress_mutex);
  progress = now;
}

Outcome Session::Impl::step() {
  require_data();
  const std::int64_t step = progress.metrics.step;
  if (has_ended(step)) return Outcome::done;
  const Stopwatch whole;
  const auto& [data, sampler] = *training->source;
  const std::vector<std::int64_t> samples = sampler.step_samples(step);
  const std::vector<MicroBatch> batches =
      make_batches(data.training, samples, config.max_batch_len, model.decoder->device());
  const double seconds_data = whole.seconds();
  const StepOptions options = step_options(step);
  StepSums sums{.samples = static_cast<std::int64_t>(samples.size())};
  model.decoder->parameters().zero_gradients();
  add_gradients(*model.decoder, batches, regularisation(), sums);
  update(options, sums, sums.weight, seconds_data, whole.seconds());
  return Outcome::stepped;
}

BatchLoss Session::forward_backward(const HostBatch& batch) {
  Impl& self = *impl_;
  if (batch.size() == 0) fail(Status::invalid_argument, "the batch has no samples");
  batch.require_within(self.model.decoder->spec().vocab);
  if (!self.training) {
    self.training = prepare_host_loop(self.config, *self.model.decoder);
    const std::lock_guard lock(self.progress_mutex);
    self.progress.metrics.step_total = self.training->schedule.total_steps;
  }
  if (!self.has_gradients()) self.model.decoder->parameters().zero_gradients();
  StepSums before = std::exchange(self.pending, {});  // a failure leaves none
  StepSums sums{.samples = batch.size()};
  const auto batches = make_batches(batch, before.samples, self.config.max_batch_len, self.model.decoder->device());
  add_gradients(*self.model.decoder, batches, self.regularisation(), sums);
  self.pending = before += sums;
  return {sums.loss, sums.weight};
}

Outcome Session::optimizer_step(double divisor) {
  Impl& self = *impl_;
  if (!self.has_gradients())
    fail(Status::invalid_state, "there are no gradients to step by: call ilt_forward_backward before");
  const std::int64_t step = self.progress.metrics.step;
  if (self.has_ended(step)) return Outcome::done;
  const double by = positive_divisor(divisor, self.pending);
  const StepOptions options = self.step_options(step);
  const StepSums sums = std::exchange(self.pending, {});
  self.update(options, sums, by, 0, sums.seconds);
  return Outcome::stepped;
}

void Session::zero_gradients() noexcept {
  impl_->pending = {};
}

void Session::set_learning_rate(double lr) {
  if (lr != lr_of_schedule && !(lr >= 0 && std::isfinite(lr)))
    throw Error(Status::invalid_argument,
                fmt::format("the learning rate is {}, expected a finite number that is at least 0, or -1 for that of "
                            "the schedule",
                            lr),
                {{"argument", "lr"}});
  impl_->host_lr.store(lr);
}

}  // namespace ilt
