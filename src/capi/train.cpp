// ilt.h: training on a session's data, and a host's own loop.
#include "capi/guard.h"
#include "capi/metrics.h"
#include "capi/output.h"

namespace ilt::capi {
namespace {

void give_metrics(const Session& session, ilt_metrics* out) {
  if (out != nullptr) give_struct(to_c(session.metrics()), out);
}

// An array of the caller's that may be left out.
template <typename T>
std::span<const T> given(const T* values, std::size_t count) {
  return values != nullptr ? std::span(values, count) : std::span<const T>();
}

ilt_status status_of(Outcome outcome) {
  if (outcome == Outcome::stopped) return ILT_STOPPED;
  return outcome == Outcome::done ? ILT_DONE : ILT_OK;
}

}  // namespace
}  // namespace ilt::capi

using namespace ilt::capi;

ilt_status ilt_train_step(ilt_session* session, ilt_metrics* out, ilt_error** err) noexcept {
  return guard(session, Access::exclusive, err, [&] {
    if (out != nullptr) check_struct(out, "out");
    const auto outcome = session->value.step();
    give_metrics(session->value, out);
    return status_of(outcome);
  });
}

ilt_status ilt_train_epoch(ilt_session* session, ilt_cancel_token* cancel, ilt_metrics* out, ilt_error** err) noexcept {
  return guard(session, Access::exclusive, err, [&] {
    if (out != nullptr) check_struct(out, "out");
    const auto outcome = session->value.run_epoch(cancel != nullptr ? cancel->token : ilt::CancelToken());
    give_metrics(session->value, out);
    return status_of(outcome);
  });
}

ilt_status ilt_train_run(ilt_session* session, ilt_cancel_token* cancel, ilt_metrics* out, ilt_error** err) noexcept {
  return guard(session, Access::exclusive, err, [&] {
    if (out != nullptr) check_struct(out, "out");
    const auto outcome = session->value.run(cancel != nullptr ? cancel->token : ilt::CancelToken());
    give_metrics(session->value, out);
    return outcome == ilt::Outcome::stopped ? ILT_STOPPED : ILT_OK;
  });
}

ilt_status ilt_batch_create(ilt_batch** out, ilt_error** err) noexcept {
  return guard(err, [&] {
    require(out, "out");
    *out = new ilt_batch;
  });
}

ilt_status ilt_batch_add(ilt_batch* batch, const int32_t* ids, const int32_t* labels, const float* weights,
                         size_t count, ilt_error** err) noexcept {
  return guard(batch, Access::exclusive, err, [&] {
    require(ids, "ids");
    batch->value.add({ids, count}, given(labels, count), given(weights, count));
  });
}

ilt_status ilt_batch_clear(ilt_batch* batch, ilt_error** err) noexcept {
  return guard(batch, Access::exclusive, err, [&] { batch->value.clear(); });
}

ilt_status ilt_batch_size(const ilt_batch* batch, int64_t* out_samples, int64_t* out_tokens, ilt_error** err) noexcept {
  return guard(batch, Access::shared, err, [&] {
    require(out_samples, "out_samples");
    *out_samples = batch->value.size();
    if (out_tokens != nullptr) *out_tokens = batch->value.tokens();
  });
}

void ilt_batch_free(ilt_batch* batch) noexcept {
  release(batch);
}

ilt_status ilt_forward_backward(ilt_session* session, const ilt_batch* batch, double* out_loss, double* out_weight,
                                ilt_error** err) noexcept {
  return guard(session, Access::exclusive, err, [&] {
    const auto sums = use(batch, Access::shared, [&] { return session->value.forward_backward(batch->value); });
    if (out_loss != nullptr) *out_loss = sums.loss;
    if (out_weight != nullptr) *out_weight = sums.weight;
  });
}

ilt_status ilt_optimizer_step(ilt_session* session, double divisor, ilt_metrics* out, ilt_error** err) noexcept {
  return guard(session, Access::exclusive, err, [&] {
    if (out != nullptr) check_struct(out, "out");
    const auto outcome = session->value.optimizer_step(divisor);
    give_metrics(session->value, out);
    return status_of(outcome);
  });
}

ilt_status ilt_zero_grad(ilt_session* session, ilt_error** err) noexcept {
  return guard(session, Access::exclusive, err, [&] { session->value.zero_gradients(); });
}
