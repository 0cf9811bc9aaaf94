// ilt.h: sessions, their callback and their checkpoints.
#include "train/session.h"

#include "base/files.h"
#include "capi/guard.h"
#include "capi/metrics.h"
#include "capi/output.h"
#include "checkpoint/manifest.h"
#include "config/options.h"

namespace ilt::capi {
namespace {

static_assert(lr_of_schedule == ILT_LR_SCHEDULE);
static_assert(static_cast<int>(EventKind::run_begin) == ILT_EVENT_RUN_BEGIN);
static_assert(static_cast<int>(EventKind::step_end) == ILT_EVENT_STEP_END);
static_assert(static_cast<int>(EventKind::eval_end) == ILT_EVENT_EVAL_END);
static_assert(static_cast<int>(EventKind::checkpoint) == ILT_EVENT_CHECKPOINT);
static_assert(static_cast<int>(EventKind::epoch_end) == ILT_EVENT_EPOCH_END);
static_assert(static_cast<int>(EventKind::run_end) == ILT_EVENT_RUN_END);

bool tell_host(ilt_event_fn fn, void* user_data, const Event& event) {
  const ilt_metrics metrics = to_c(event.metrics);
  const ilt_event out = {sizeof(ilt_event), static_cast<ilt_event_type>(event.kind), &metrics,
                         event.path.empty() ? nullptr : event.path.c_str()};
  const auto answer = fn(&out, user_data);
  if (answer < 0)
    throw Error(Status::callback, fmt::format("the event callback returned {}", answer), {{"returned", answer}});
  return answer == 0;
}

}  // namespace
}  // namespace ilt::capi

using namespace ilt::capi;

ilt_status ilt_session_create(const ilt_config* config, ilt_session** out, ilt_error** err) noexcept {
  return guard(config, Access::shared, err, [&] {
    require(out, "out");
    ilt::validate_config(config->value);
    require_own_threads();
    *out = new ilt_session(config->value);
  });
}

void ilt_session_free(ilt_session* session) noexcept {
  release(session);
}

void ilt_session_request_save(ilt_session* session) noexcept {
  if (session != nullptr) session->value.request_save();
}

ilt_status ilt_session_set_lr(ilt_session* session, double lr, ilt_error** err) noexcept {
  return guard(static_cast<const ilt_session*>(session), Access::shared, err,
               [&] { session->value.set_learning_rate(lr); });
}

int32_t ilt_session_is_poisoned(const ilt_session* session) noexcept {
  return session != nullptr && session->value.lost();
}

ilt_status ilt_session_set_event_callback(ilt_session* session, ilt_event_fn fn, void* user_data,
                                          ilt_destroy_fn destroy, ilt_error** err) noexcept {
  return guard(err, [&] {
    const auto data = own(user_data, destroy);
    ilt::EventFn callback;
    if (fn != nullptr) callback = [fn, data](const ilt::Event& event) { return tell_host(fn, data.get(), event); };
    use(session, Access::exclusive, [&] { session->value.set_event_callback(std::move(callback)); });
  });
}

ilt_status ilt_session_set_datasets(ilt_session* session, ilt_dataset* training, ilt_dataset* validation,
                                    ilt_error** err) noexcept {
  return guard(session, Access::exclusive, err, [&] {
    require(training, "training");
    const Use use(*training, Access::exclusive, ilt_dataset::kind);
    std::optional<Use> use_validation;
    if (validation != nullptr && validation != training)
      use_validation.emplace(*validation, Access::exclusive, ilt_dataset::kind);
    session->value.set_data(training->value, validation != nullptr ? validation->value : nullptr);
  });
}

ilt_status ilt_session_config_json(ilt_session* session, char** out, size_t* out_length, ilt_error** err) noexcept {
  return guard(session, Access::nested, err,
               [&] { give_string(ilt::config_to_json(session->value.config()).dump(2), out, out_length); });
}

ilt_status ilt_session_model_info_json(ilt_session* session, char** out, size_t* out_length, ilt_error** err) noexcept {
  return guard(session, Access::nested, err,
               [&] { give_string(session->value.model_info().dump(2), out, out_length); });
}

ilt_status ilt_checkpoint_load(ilt_session* session, const char* path, ilt_error** err) noexcept {
  return guard(session, Access::exclusive, err, [&] {
    require(path, "path");
    session->value.load_state(path);
  });
}

ilt_status ilt_checkpoint_save(ilt_session* session, const char* path, ilt_checkpoint_kind kind,
                               ilt_error** err) noexcept {
  return guard(session, Access::nested, err, [&] {
    require(path, "path");
    if (*path == '\0') ilt::fail(ilt::Status::invalid_argument, "path is empty: give the folder to write");
    if (kind != ILT_CKPT_WEIGHTS && kind != ILT_CKPT_FULL_STATE)
      ilt::fail(ilt::Status::invalid_argument,
                "checkpoint kind {} is unknown; expected ILT_CKPT_WEIGHTS (1) or ILT_CKPT_FULL_STATE (2)", kind);
    ilt::require_replaceable(path, kind == ILT_CKPT_WEIGHTS ? "config.json" : ilt::manifest_file);
    kind == ILT_CKPT_WEIGHTS ? session->value.save(path) : session->value.save_state(path);
  });
}
