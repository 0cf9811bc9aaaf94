/* ilt._native: ilt.h for Python, one function for one function. Private: the package `ilt` is built on it.
 *
 * - A negative status raises the exception that ilt.errors has for it. A status is returned only by the functions
 *   that have outcomes which are no errors; see STATUS below.
 * - Outputs are returned: strings as str, token ids as lists, structs as tuples of their members.
 * - Handles are opaque, typed pointers, freed by the ilt_..._free() functions only.
 * - The GIL is released during every call.
 * src/ilt/_native.pyi has the resulting signatures; tools/python/make_stub.py makes it from the same rules.
 */
%module(package="ilt", threads="1") native

%{
#include "callbacks.h"
#include "tensors.h"
%}

%include <stdint.i>

/* Errors are exceptions, and memory is freed by the typemaps: Python needs neither. */
%ignore ilt_error_status;
%ignore ilt_error_message;
%ignore ilt_error_detail_json;
%ignore ilt_error_free;
%ignore ilt_free;
%ignore ilt_metrics;
%ignore ilt_event;
%ignore ilt_device_info;

/* ---- status and errors ---- */

%typemap(out) ilt_status "(void)$1; $result = SWIG_Py_Void();"
%define STATUS(function)
%typemap(out) ilt_status function "$result = PyLong_FromLong($1);"
%enddef
STATUS(ilt_train_step)
STATUS(ilt_train_run)
STATUS(ilt_train_epoch)
STATUS(ilt_optimizer_step)
STATUS(ilt_evaluate)
STATUS(ilt_generate)
STATUS(ilt_dataset_process)
STATUS(ilt_dataset_create)

%typemap(in, numinputs=0) ilt_error** err (ilt_error* error = NULL) "$1 = &error;"
%typemap(argout) ilt_error** err {
  if (result < 0) {
    ilt_py_raise(result, *$1);
    Py_CLEAR($result);
    SWIG_fail;
  }
}

/* ---- text ---- */

%typemap(in) const char* (PyObject* holder = NULL) {
  if (ilt_py_to_string($input, (const char**)&$1, &holder) != 0) SWIG_fail;
}
%typemap(freearg) const char* "Py_XDECREF(holder$argnum);"

%typemap(in) (const char* text, size_t length) (PyObject* holder = NULL) {
  if (ilt_py_to_text($input, (const char**)&$1, &$2, &holder) != 0) SWIG_fail;
}
%typemap(freearg) (const char* text, size_t length) "Py_XDECREF(holder$argnum);"
%apply (const char* text, size_t length) {
  (const char* json, size_t length), (const char* messages_json, size_t length), (const char* record_json, size_t length)
};

%typemap(in, numinputs=0) (char** out, size_t* out_length) (char* text = NULL, size_t length = 0) {
  $1 = &text;
  $2 = &length;
}
%typemap(argout) (char** out, size_t* out_length) {
  if (result >= 0) $result = ilt_py_append($result, ilt_py_text(*$1, *$2));
}
%typemap(freearg) (char** out, size_t* out_length) "ilt_free(*$1);"

%typemap(in, numinputs=0) char** out (char* text = NULL) "$1 = &text;"
%typemap(argout) char** out {
  if (result >= 0) $result = ilt_py_append($result, ilt_py_text(*$1, strlen(*$1)));
}
%typemap(freearg) char** out "ilt_free(*$1);"

/* Borrowed: SWIG would take the rule of char** out to free it. */
%typemap(freearg) const char** out ""
%typemap(in, numinputs=0) const char** out (const char* text = NULL) "$1 = &text;"
%typemap(argout) const char** out {
  if (result >= 0) $result = ilt_py_append($result, ilt_py_text(*$1, strlen(*$1)));
}

/* ---- numbers ---- */

%typemap(in, numinputs=0) int32_t* out (int32_t number = 0) "$1 = &number;"
%typemap(argout) int32_t* out "if (result >= 0) $result = ilt_py_append($result, PyLong_FromLong(*$1));"
%apply int32_t* out { int32_t* out_kept };

%typemap(in, numinputs=0) size_t* out (size_t number = 0) "$1 = &number;"
%typemap(argout) size_t* out "if (result >= 0) $result = ilt_py_append($result, PyLong_FromSize_t(*$1));"

%define PAIR(type_a, name_a, type_b, name_b, to_python_a, to_python_b)
%typemap(in, numinputs=0) (type_a* name_a, type_b* name_b) (type_a a = 0, type_b b = 0) {
  $1 = &a;
  $2 = &b;
}
%typemap(argout) (type_a* name_a, type_b* name_b) {
  if (result >= 0) $result = ilt_py_append($result, ilt_py_pair(to_python_a(*$1), to_python_b(*$2)));
}
%enddef
PAIR(double, out_loss, double, out_weight, PyFloat_FromDouble, PyFloat_FromDouble)
PAIR(double, out_loss, int64_t, out_tokens, PyFloat_FromDouble, PyLong_FromLongLong)
PAIR(int64_t, out_samples, int64_t, out_tokens, PyLong_FromLongLong, PyLong_FromLongLong)

/* ---- token ids ---- */

%typemap(in) (const int32_t* ids, size_t count) {
  if (ilt_py_to_ids($input, (int32_t**)&$1, &$2) != 0) SWIG_fail;
}
%typemap(freearg) (const int32_t* ids, size_t count) "PyMem_Free((void*)$1);"
%apply (const int32_t* ids, size_t count) { (const int32_t* prompt, size_t prompt_count) };

%typemap(in) (const int32_t* ids, size_t count, float* out_logprobs) {
  if (ilt_py_to_ids($input, (int32_t**)&$1, &$2) != 0) SWIG_fail;
  $3 = PyMem_Malloc(($2 + 1) * sizeof(float));
  if ($3 == NULL) {
    PyErr_NoMemory();
    SWIG_fail;
  }
}
%typemap(argout) (const int32_t* ids, size_t count, float* out_logprobs) {
  if (result >= 0) $result = ilt_py_append($result, ilt_py_floats($3, $2 - 1));
}
%typemap(freearg) (const int32_t* ids, size_t count, float* out_logprobs) "PyMem_Free((void*)$1); PyMem_Free($3);"

%typemap(in, numinputs=0) (int32_t** out_ids, size_t* out_count) (int32_t* ids = NULL, size_t count = 0) {
  $1 = &ids;
  $2 = &count;
}
%typemap(argout) (int32_t** out_ids, size_t* out_count) {
  if (result >= 0) $result = ilt_py_append($result, ilt_py_ids(*$1, *$2));
}
%typemap(freearg) (int32_t** out_ids, size_t* out_count) "ilt_free(*$1);"

%typemap(in, numinputs=0) (int32_t** out_ids, int32_t** out_labels, size_t* out_count)
    (int32_t* ids = NULL, int32_t* labels = NULL, size_t count = 0) {
  $1 = &ids;
  $2 = &labels;
  $3 = &count;
}
%typemap(argout) (int32_t** out_ids, int32_t** out_labels, size_t* out_count) {
  if (result >= 0) {
    $result = ilt_py_append($result, ilt_py_ids(*$1, *$3));
    $result = ilt_py_append($result, ilt_py_ids(*$2, *$3));
  }
}
%typemap(freearg) (int32_t** out_ids, int32_t** out_labels, size_t* out_count) "ilt_free(*$1); ilt_free(*$2);"

/* A sample: a tuple of ids, labels or None, weights or None. */
%typemap(in) (const int32_t* ids, const int32_t* labels, const float* weights, size_t count) {
  if (ilt_py_to_sample($input, (int32_t**)&$1, (int32_t**)&$2, (float**)&$3, &$4) != 0) SWIG_fail;
}
%typemap(freearg) (const int32_t* ids, const int32_t* labels, const float* weights, size_t count) {
  PyMem_Free((void*)$1);
  PyMem_Free((void*)$2);
  PyMem_Free((void*)$3);
}

/* ---- tensors: DLPack capsules ---- */

%typemap(in, numinputs=0) struct DLManagedTensorVersioned** out (struct DLManagedTensorVersioned* tensor = NULL)
  "$1 = &tensor;"
%typemap(argout) struct DLManagedTensorVersioned** out {
  if (result >= 0) $result = ilt_py_append($result, ilt_py_dlpack(*$1));
}
%typemap(in) struct DLManagedTensorVersioned* source {
  $1 = ilt_py_take_dlpack($input);
  if ($1 == NULL) SWIG_fail;
}

/* ---- structs ---- */

%typemap(in, numinputs=0) ilt_metrics* out (ilt_metrics metrics = ILT_METRICS_INIT) "$1 = &metrics;"
%typemap(argout) ilt_metrics* out "if (result >= 0) $result = ilt_py_append($result, ilt_py_metrics($1));"

%typemap(in, numinputs=0) ilt_device_info* out (ilt_device_info info = ILT_DEVICE_INFO_INIT) "$1 = &info;"
%typemap(argout) ilt_device_info* out "if (result >= 0) $result = ilt_py_append($result, ilt_py_device($1));"

/* ---- handles ---- */

%define HANDLE(type)
%typemap(in, numinputs=0) type** out (type* handle = NULL) "$1 = &handle;"
%typemap(argout) type** out {
  if (result >= 0 && *$1 != NULL) $result = ilt_py_append($result, SWIG_NewPointerObj(*$1, $*1_descriptor, 0));
}
%enddef
HANDLE(ilt_batch)
HANDLE(ilt_cancel_token)
HANDLE(ilt_config)
HANDLE(ilt_dataset)
HANDLE(ilt_session)
HANDLE(ilt_tokenizer)

/* ---- callbacks: one Python object, or None ---- */

/* Kept by the library until it calls destroy, which it does even if the call fails. */
%define KEPT_CALLBACK(type, trampoline)
%typemap(in) (type fn, void* user_data, ilt_destroy_fn destroy) {
  if ($input != Py_None) {
    Py_INCREF($input);
    $1 = trampoline;
    $2 = $input;
    $3 = ilt_py_destroy;
  } else {
    $1 = NULL;
    $2 = NULL;
    $3 = NULL;
  }
}
%enddef
KEPT_CALLBACK(ilt_event_fn, ilt_py_on_event)
KEPT_CALLBACK(ilt_log_fn, ilt_py_on_log)

/* Lent for the call. */
%define LENT_CALLBACK(type, trampoline)
%typemap(in) (type fn, void* user_data) {
  $1 = $input != Py_None ? trampoline : NULL;
  $2 = $input;
}
%enddef
LENT_CALLBACK(ilt_token_fn, ilt_py_on_token)
LENT_CALLBACK(ilt_data_progress_fn, ilt_py_on_progress)

%include <ilt.h>
