// Callbacks of ilt.h that lead to exported Go functions, and the calls that take them.
#include "shim.h"

#include "_cgo_export.h"

char* ilt_go_empty(void) {
  static char empty[1];
  return empty;
}

static void destroy(void* user_data) {
  goIltDestroy((uintptr_t)user_data);
}

static void on_log(ilt_log_level level, const char* component, const char* message, void* user_data) {
  goIltLog(level, (char*)component, (char*)message, (uintptr_t)user_data);
}

static int32_t on_event(const ilt_event* event, void* user_data) {
  return goIltEvent((ilt_event*)event, (uintptr_t)user_data);
}

static int32_t on_token(int32_t token, void* user_data) {
  return goIltToken(token, (uintptr_t)user_data);
}

static int32_t on_progress(int64_t records, int64_t bytes_done, int64_t bytes_total, void* user_data) {
  return goIltDataProgress(records, bytes_done, bytes_total, (uintptr_t)user_data);
}

// A handle of 0 is none.

ilt_status ilt_go_log_set(uintptr_t handle, ilt_log_level min_level, ilt_error** err) {
  return handle ? ilt_log_set(on_log, (void*)handle, destroy, min_level, err)
                : ilt_log_set(NULL, NULL, NULL, min_level, err);
}

ilt_status ilt_go_set_event_callback(ilt_session* session, uintptr_t handle, ilt_error** err) {
  return ilt_session_set_event_callback(session, on_event, (void*)handle, destroy, err);
}

ilt_status ilt_go_generate(ilt_session* session, const int32_t* prompt, size_t prompt_count, const char* options_json,
                           uintptr_t handle, ilt_cancel_token* cancel, int32_t** out_ids, size_t* out_count,
                           ilt_error** err) {
  return ilt_generate(session, prompt, prompt_count, options_json, handle ? on_token : NULL, (void*)handle, cancel,
                      out_ids, out_count, err);
}

ilt_status ilt_go_dataset_process(const ilt_config* config, const char* out_path, uintptr_t handle,
                                  ilt_cancel_token* cancel, ilt_error** err) {
  return ilt_dataset_process(config, out_path, handle ? on_progress : NULL, (void*)handle, cancel, err);
}
