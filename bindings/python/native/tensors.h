/* DLPack tensors as the capsules that __dlpack__() exchanges. All need the GIL. */
#ifndef ILT_PYTHON_TENSORS_H_
#define ILT_PYTHON_TENSORS_H_

#include "convert.h"

struct DLManagedTensorVersioned;

/* A capsule that owns the tensor, until a consumer takes it. NULL with an exception set. */
PyObject* ilt_py_dlpack(struct DLManagedTensorVersioned* tensor);

/* The tensor of a capsule, which gives it away. NULL with an exception set. */
struct DLManagedTensorVersioned* ilt_py_take_dlpack(PyObject* capsule);

#endif
