// What cgo cannot call as it is: callbacks of ilt.h with a cgo.Handle, an integer, as their user_data. C makes the
// pointer of it, for to Go's garbage collector an integer in a pointer is a broken pointer.
#ifndef ILT_GO_SHIM_H_
#define ILT_GO_SHIM_H_

#include <ilt.h>
#include <stdlib.h>

// A string that is not NULL, for texts of no bytes.
char* ilt_go_empty(void);

ilt_status ilt_go_log_set(uintptr_t handle, ilt_log_level min_level, ilt_error** err);

ilt_status ilt_go_set_event_callback(ilt_session* session, uintptr_t handle, ilt_error** err);

ilt_status ilt_go_generate(ilt_session* session, const int32_t* prompt, size_t prompt_count, const char* options_json,
                           uintptr_t handle, ilt_cancel_token* cancel, int32_t** out_ids, size_t* out_count,
                           ilt_error** err);

ilt_status ilt_go_dataset_process(const ilt_config* config, const char* out_path, uintptr_t handle,
                                  ilt_cancel_token* cancel, ilt_error** err);

#endif
