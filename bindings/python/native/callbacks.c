/* The functions that libilt calls back: each takes the GIL, calls the Python object, and hands its answer on. */
#include "callbacks.h"

/* Once the interpreter ends, taking the GIL would end or hang the thread: callbacks are then dropped. */
static int interpreter_is_gone(void) {
#if PY_VERSION_HEX >= 0x030D0000
  return !Py_IsInitialized() || Py_IsFinalizing();
#else
  return !Py_IsInitialized() || _Py_IsFinalizing();
#endif
}

static PyObject* take_exception(void) {
#if PY_VERSION_HEX >= 0x030C0000
  return PyErr_GetRaisedException();
#else
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (value != NULL && traceback != NULL) PyException_SetTraceback(value, traceback);
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  return value;
#endif
}

/* callable's answer as a number: None is 0; an exception goes to callable.failed(), whose answer counts instead. */
static int32_t answer(PyObject* callable, PyObject* result) {
  long number = -1;
  if (result == NULL) {
    PyObject* error = take_exception();
    result = error != NULL ? PyObject_CallMethod(callable, "failed", "O", error) : NULL;
    Py_XDECREF(error);
  }
  if (result == Py_None) number = 0;
  if (result != NULL && result != Py_None) number = PyLong_AsLong(result);
  if (PyErr_Occurred()) PyErr_WriteUnraisable(callable);
  Py_XDECREF(result);
  return number > 0 ? 1 : number < 0 ? -1 : 0;
}

/* Signals that have come in are looked at here: Ctrl-C is an exception of the callback. */
static PyObject* call(PyObject* callable, PyObject* arguments) {
  PyObject* result = NULL;
  if (arguments != NULL && PyErr_CheckSignals() == 0) result = PyObject_CallObject(callable, arguments);
  Py_XDECREF(arguments);
  return result;
}

int32_t ilt_py_on_event(const ilt_event* event, void* user_data) {
  PyGILState_STATE gil;
  int32_t result;
  if (interpreter_is_gone()) return 1;
  gil = PyGILState_Ensure();
  result = answer(user_data,
                  call(user_data, Py_BuildValue("iNz", (int)event->type, ilt_py_metrics(event->metrics), event->path)));
  PyGILState_Release(gil);
  return result;
}

int32_t ilt_py_on_token(int32_t token_id, void* user_data) {
  PyGILState_STATE gil;
  int32_t result;
  if (interpreter_is_gone()) return 1;
  gil = PyGILState_Ensure();
  result = answer(user_data, call(user_data, Py_BuildValue("(i)", (int)token_id)));
  PyGILState_Release(gil);
  return result;
}

int32_t ilt_py_on_progress(int64_t records, int64_t bytes_done, int64_t bytes_total, void* user_data) {
  PyGILState_STATE gil;
  int32_t result;
  if (interpreter_is_gone()) return 1;
  gil = PyGILState_Ensure();
  result =
      answer(user_data,
             call(user_data, Py_BuildValue("LLL", (long long)records, (long long)bytes_done, (long long)bytes_total)));
  PyGILState_Release(gil);
  return result;
}

void ilt_py_on_log(ilt_log_level level, const char* component, const char* message, void* user_data) {
  PyGILState_STATE gil;
  PyObject* result;
  if (interpreter_is_gone()) return;
  gil = PyGILState_Ensure();
  result = PyObject_CallFunction(user_data, "iss", (int)level, component, message);
  if (result == NULL && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
    PyErr_Clear(); /* a log line cannot stop anything: Ctrl-C comes again where it can */
    PyErr_SetInterrupt();
  } else if (result == NULL) {
    PyErr_WriteUnraisable(user_data);
  }
  Py_XDECREF(result);
  PyGILState_Release(gil);
}

void ilt_py_destroy(void* user_data) {
  PyGILState_STATE gil;
  if (user_data == NULL || interpreter_is_gone()) return;
  gil = PyGILState_Ensure();
  Py_DECREF((PyObject*)user_data);
  PyGILState_Release(gil);
}
