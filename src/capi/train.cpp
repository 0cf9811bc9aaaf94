// ilt.h: training.
#include "capi/guard.h"
#include "capi/metrics.h"
#include "capi/output.h"

namespace ilt::capi {
namespace {

void give_metrics(const Session& session, ilt_metrics* out) {
  if (out != nullptr) give_struct(to_c(session.metrics()), out);
}

}  // namespace
}  // namespace ilt::capi

using namespace ilt::capi;

ilt_status ilt_train_step(ilt_session* session, ilt_metrics* out, ilt_error** err) noexcept {
  return guard(session, Access::exclusive, err, [&] {
    if (out != nullptr) check_struct(out, "out");
    const auto outcome = session->value.step();
    give_metrics(session->value, out);
    if (outcome == ilt::Outcome::stopped) return ILT_STOPPED;
    return outcome == ilt::Outcome::done ? ILT_DONE : ILT_OK;
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
