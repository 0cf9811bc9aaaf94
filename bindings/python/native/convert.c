/* Conversions between Python objects and the C types of ilt.h. */
#include "convert.h"

#include <string.h>

PyObject* ilt_py_append(PyObject* result, PyObject* value) {
  if (result != Py_None) return ilt_py_pair(result, value);
  Py_DECREF(result);
  return value;
}

PyObject* ilt_py_pair(PyObject* a, PyObject* b) {
  PyObject* both = a != NULL && b != NULL ? PyTuple_Pack(2, a, b) : NULL;
  Py_XDECREF(a);
  Py_XDECREF(b);
  return both;
}

PyObject* ilt_py_text(const char* text, size_t length) {
  return PyUnicode_DecodeUTF8(text, (Py_ssize_t)length, "surrogateescape");
}

PyObject* ilt_py_ids(const int32_t* ids, size_t count) {
  PyObject* list = PyList_New((Py_ssize_t)count);
  size_t i;
  for (i = 0; list != NULL && i < count; ++i) {
    PyObject* id = PyLong_FromLong(ids[i]);
    if (id == NULL) {
      Py_CLEAR(list);
      break;
    }
    PyList_SET_ITEM(list, (Py_ssize_t)i, id);
  }
  return list;
}

PyObject* ilt_py_floats(const float* values, size_t count) {
  PyObject* list = PyList_New((Py_ssize_t)count);
  size_t i;
  for (i = 0; list != NULL && i < count; ++i) {
    PyObject* value = PyFloat_FromDouble((double)values[i]);
    if (value == NULL) {
      Py_CLEAR(list);
      break;
    }
    PyList_SET_ITEM(list, (Py_ssize_t)i, value);
  }
  return list;
}

PyObject* ilt_py_metrics(const ilt_metrics* m) {
  return Py_BuildValue("ILLLLdddddLd", (unsigned)m->epoch, (long long)m->step, (long long)m->step_total,
                       (long long)m->samples_seen, (long long)m->tokens_seen, m->loss, m->grad_norm, m->lr,
                       m->tokens_per_second, m->step_seconds, (long long)m->mem_host_bytes_peak, m->eval_loss);
}

PyObject* ilt_py_device(const ilt_device_info* d) {
  return Py_BuildValue("iiLLss", (int)d->type, (int)d->index, (long long)d->mem_total_bytes,
                       (long long)d->mem_free_bytes, d->id, d->name);
}

void ilt_py_raise(ilt_status status, ilt_error* err) {
  PyObject* errors = PyImport_ImportModule("ilt.errors");
  PyObject* error = NULL;
  if (errors != NULL) {
    error = PyObject_CallMethod(errors, "from_status", "iss", (int)status, ilt_error_message(err),
                                ilt_error_detail_json(err));
  }
  if (error != NULL) PyErr_SetObject((PyObject*)Py_TYPE(error), error);
  Py_XDECREF(error);
  Py_XDECREF(errors);
  ilt_error_free(err);
}

int ilt_py_to_text(PyObject* object, const char** text, size_t* length, PyObject** holder) {
  char* bytes = NULL;
  Py_ssize_t size = 0;
  *text = NULL;
  *length = 0;
  *holder = NULL;
  if (object == Py_None) return 0;
  if (PyUnicode_Check(object)) {
    *holder = PyUnicode_AsEncodedString(object, "utf-8", "surrogateescape");
  } else if (PyBytes_Check(object)) {
    Py_INCREF(object);
    *holder = object;
  } else {
    PyErr_Format(PyExc_TypeError, "expected str or bytes, got %.100s", Py_TYPE(object)->tp_name);
  }
  if (*holder == NULL || PyBytes_AsStringAndSize(*holder, &bytes, &size) != 0) return -1;
  *text = bytes;
  *length = (size_t)size;
  return 0;
}

int ilt_py_to_string(PyObject* object, const char** text, PyObject** holder) {
  size_t length;
  if (ilt_py_to_text(object, text, &length, holder) != 0) return -1;
  if (*text != NULL && strlen(*text) != length) {
    PyErr_SetString(PyExc_ValueError, "embedded null character");
    return -1;
  }
  return 0;
}

/* A contiguous buffer of C ints, copied; 0 where the object has none, 1 where it had, -1 for an error. */
static int ids_from_buffer(PyObject* object, int32_t** ids, size_t* count) {
  Py_buffer view;
  int found = 0;
  if (!PyObject_CheckBuffer(object)) return 0;
  if (PyObject_GetBuffer(object, &view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0) {
    PyErr_Clear();
    return 0;
  }
  if (view.ndim == 1 && view.itemsize == 4 && view.format != NULL && strcmp(view.format, "i") == 0) {
    *ids = PyMem_Malloc((size_t)view.len + 1);
    found = *ids == NULL ? -1 : 1;
    if (*ids == NULL) PyErr_NoMemory();
    if (*ids != NULL && view.len > 0) memcpy(*ids, view.buf, (size_t)view.len);
    *count = (size_t)view.len / 4;
  }
  PyBuffer_Release(&view);
  return found;
}

static int id_from_item(PyObject* item, int32_t* id) {
  PyObject* number = PyNumber_Index(item);
  int overflow = 0;
  long value;
  if (number == NULL) return -1;
  value = PyLong_AsLongAndOverflow(number, &overflow);
  Py_DECREF(number);
  if (value == -1 && PyErr_Occurred()) return -1;
  if (overflow != 0 || value < INT32_MIN || value > INT32_MAX) {
    PyErr_Format(PyExc_OverflowError, "%R is no 32-bit token id", item);
    return -1;
  }
  *id = (int32_t)value;
  return 0;
}

int ilt_py_to_ids(PyObject* object, int32_t** ids, size_t* count) {
  PyObject* items;
  Py_ssize_t i, size;
  int found;
  *ids = NULL;
  *count = 0;
  found = ids_from_buffer(object, ids, count);
  if (found != 0) return found < 0 ? -1 : 0;
  if (PyUnicode_Check(object)) {
    PyErr_SetString(PyExc_TypeError,
                    "expected a sequence of token ids, got a text: Tokenizer.encode() makes ids of it");
    return -1;
  }
  items = PySequence_Fast(object, "expected a sequence of token ids");
  if (items == NULL) return -1;
  size = PySequence_Fast_GET_SIZE(items);
  *ids = PyMem_Malloc((size_t)size * sizeof **ids + 1);
  if (*ids == NULL) PyErr_NoMemory();
  for (i = 0; *ids != NULL && i < size; ++i) {
    if (id_from_item(PySequence_Fast_GET_ITEM(items, i), *ids + i) != 0) {
      PyMem_Free(*ids);
      *ids = NULL;
    }
  }
  Py_DECREF(items);
  *count = (size_t)size;
  return *ids == NULL ? -1 : 0;
}

static float* to_weights(PyObject* object, size_t count) {
  PyObject* items = PySequence_Fast(object, "expected a sequence of weights");
  float* weights = NULL;
  size_t i;
  if (items == NULL) return NULL;
  if ((size_t)PySequence_Fast_GET_SIZE(items) != count) {
    PyErr_Format(PyExc_ValueError, "%zd weights for %zu token ids", PySequence_Fast_GET_SIZE(items), count);
  } else {
    weights = PyMem_Malloc(count * sizeof *weights + 1);
    if (weights == NULL) PyErr_NoMemory();
  }
  for (i = 0; weights != NULL && i < count; ++i) {
    weights[i] = (float)PyFloat_AsDouble(PySequence_Fast_GET_ITEM(items, (Py_ssize_t)i));
    if (PyErr_Occurred()) {
      PyMem_Free(weights);
      weights = NULL;
    }
  }
  Py_DECREF(items);
  return weights;
}

int ilt_py_to_sample(PyObject* object, int32_t** ids, int32_t** labels, float** weights, size_t* count) {
  PyObject *py_ids, *py_labels, *py_weights;
  size_t num_labels;
  if (!PyArg_ParseTuple(object, "OOO", &py_ids, &py_labels, &py_weights)) return -1;
  if (ilt_py_to_ids(py_ids, ids, count) != 0) return -1;
  if (py_labels != Py_None) {
    if (ilt_py_to_ids(py_labels, labels, &num_labels) != 0) return -1;
    if (num_labels != *count) {
      PyErr_Format(PyExc_ValueError, "%zu labels for %zu token ids", num_labels, *count);
      return -1;
    }
  }
  if (py_weights != Py_None) *weights = to_weights(py_weights, *count);
  return py_weights != Py_None && *weights == NULL ? -1 : 0;
}
