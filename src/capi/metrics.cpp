// ilt.h: metrics.
#include "capi/metrics.h"

#include <limits>

#include "capi/guard.h"
#include "capi/output.h"

namespace ilt::capi {

ilt_metrics to_c(const StepMetrics& metrics) {
  const bool measured = metrics.batch_size > 0;  // by this session; a run that goes on has counters only
  const auto known = [&](double value) { return measured ? value : std::numeric_limits<double>::quiet_NaN(); };
  ilt_metrics out = ILT_METRICS_INIT;
  out.epoch = static_cast<std::uint32_t>(metrics.epoch);
  out.step = metrics.step;
  out.step_total = metrics.step_total;
  out.samples_seen = metrics.samples_seen;
  out.tokens_seen = metrics.tokens_seen;
  out.loss = known(metrics.loss);
  out.grad_norm = known(metrics.grad_norm);
  out.lr = known(metrics.lr);
  out.tokens_per_second = known(metrics.tokens_per_second());
  out.step_seconds = known(metrics.step_seconds);
  out.eval_loss = metrics.val_loss;
  out.mem_host_bytes_peak = metrics.peak_host_bytes;
  return out;
}

namespace {

// Before the first step, what is measured in one is null.
Json known_metrics(const StepMetrics& metrics) {
  Json record = metrics_record(metrics);
  if (metrics.step > 0) return record;
  for (const char* key : {"epoch", "overall_throughput", "lr", "num_loss_counted_tokens", "num_tokens_rank0",
                          "batch_size", "num_minibatches", "avg_loss", "gradnorm", "loss", "tokens_per_second",
                          "step_seconds", "seconds_data", "seconds_forward_backward", "seconds_optimizer"})
    record[key] = nullptr;
  return record;
}

}  // namespace
}  // namespace ilt::capi

using namespace ilt::capi;

ilt_status ilt_metrics_get(const ilt_session* session, ilt_metrics* out, ilt_error** err) noexcept {
  return guard(session, Access::shared, err, [&] {
    check_struct(out, "out");
    give_struct(to_c(session->value.metrics()), out);
  });
}

ilt_status ilt_metrics_json(const ilt_session* session, char** out, size_t* out_length, ilt_error** err) noexcept {
  return guard(session, Access::shared, err,
               [&] { give_string(ilt::to_line(known_metrics(session->value.metrics())), out, out_length); });
}
