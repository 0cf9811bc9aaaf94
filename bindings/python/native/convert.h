/* Conversions between Python objects and the C types of ilt.h, for the typemaps of native.i. All need the GIL. */
#ifndef ILT_PYTHON_CONVERT_H_
#define ILT_PYTHON_CONVERT_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <ilt.h>

/* ---- to Python: a new reference, or NULL with an exception set ---- */

/* `value` beside what a function returns already: alone for None, else a tuple. Takes both references. */
PyObject* ilt_py_append(PyObject* result, PyObject* value);

/* A tuple of both, whose references it takes. */
PyObject* ilt_py_pair(PyObject* a, PyObject* b);

PyObject* ilt_py_text(const char* text, size_t length);
PyObject* ilt_py_ids(const int32_t* ids, size_t count);
PyObject* ilt_py_floats(const float* values, size_t count);

/* The members after struct_size, in the header's order; ilt.Metrics and ilt.Device take them so. */
PyObject* ilt_py_metrics(const ilt_metrics* metrics);
PyObject* ilt_py_device(const ilt_device_info* device);

/* Raises the exception of the error's status and frees the error. */
void ilt_py_raise(ilt_status status, ilt_error* err);

/* ---- from Python: 0, or -1 with an exception set ---- */

/* Text of a str or bytes object; None gives NULL. *holder owns the text: Py_XDECREF() it after use. */
int ilt_py_to_text(PyObject* object, const char** text, size_t* length, PyObject** holder);

/* As ilt_py_to_text(), for text without a length: refuses NUL characters. */
int ilt_py_to_string(PyObject* object, const char** text, PyObject** holder);

/* Any sequence of integers, or a contiguous buffer of 32-bit ones. *ids: PyMem_Free(). */
int ilt_py_to_ids(PyObject* object, int32_t** ids, size_t* count);

/* A tuple (ids, labels, weights), the last two of them sequences of the same length or None (NULL). Each array:
 * PyMem_Free(), also after an error. */
int ilt_py_to_sample(PyObject* object, int32_t** ids, int32_t** labels, float** weights, size_t* count);

#endif
