/* DLPack tensors as capsules: https://data-apis.org/array-api/latest/design_topics/data_interchange.html */
#include "tensors.h"

#define UNUSED_NAME "dltensor_versioned"
#define USED_NAME "used_dltensor_versioned"

/* What DLPack 1 begins a managed tensor with; the rest is of no interest here. */
struct managed_tensor {
  uint32_t version[2];
  void* manager_ctx;
  void (*deleter)(struct managed_tensor* self);
};

static void delete_tensor(void* tensor) {
  struct managed_tensor* managed = tensor;
  if (managed != NULL && managed->deleter != NULL) managed->deleter(managed);
}

/* A capsule that nobody took still owns its tensor. */
static void delete_capsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, UNUSED_NAME)) delete_tensor(PyCapsule_GetPointer(capsule, UNUSED_NAME));
}

PyObject* ilt_py_dlpack(struct DLManagedTensorVersioned* tensor) {
  PyObject* capsule = PyCapsule_New(tensor, UNUSED_NAME, delete_capsule);
  if (capsule == NULL) delete_tensor(tensor);
  return capsule;
}

struct DLManagedTensorVersioned* ilt_py_take_dlpack(PyObject* capsule) {
  void* tensor;
  if (!PyCapsule_IsValid(capsule, UNUSED_NAME)) {
    PyErr_SetString(PyExc_BufferError, "expected a fresh capsule of DLPack 1 (" UNUSED_NAME ")");
    return NULL;
  }
  tensor = PyCapsule_GetPointer(capsule, UNUSED_NAME);
  if (PyCapsule_SetName(capsule, USED_NAME) != 0) return NULL;
  return tensor;
}
