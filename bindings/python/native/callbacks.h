/* The functions that libilt calls back, with a Python object as user_data (see ilt/_callbacks.py for what it must be).
 * They take the GIL themselves and may be called from any thread. */
#ifndef ILT_PYTHON_CALLBACKS_H_
#define ILT_PYTHON_CALLBACKS_H_

#include "convert.h"

int32_t ilt_py_on_event(const ilt_event* event, void* user_data);
int32_t ilt_py_on_token(int32_t token_id, void* user_data);
int32_t ilt_py_on_progress(int64_t records, int64_t bytes_done, int64_t bytes_total, void* user_data);

/* Errors of the Python function go to sys.unraisablehook: a log line has nobody to tell. */
void ilt_py_on_log(ilt_log_level level, const char* component, const char* message, void* user_data);

/* Drops the library's reference. */
void ilt_py_destroy(void* user_data);

#endif
