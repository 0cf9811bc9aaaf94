// Makes, reads and frees DLPack tensors of float32 values.
#include "dlpack.h"

#include <stdlib.h>
#include <string.h>

enum { cpu = 1, floating = 2 };

// One block of memory holds the tensor, its shape and its values.
static void free_block(ilt_go_tensor* tensor) {
  free(tensor);
}

ilt_go_tensor* ilt_go_tensor_create(const float* values, size_t count, const int64_t* shape, int32_t ndim) {
  const size_t shape_bytes = (size_t)ndim * sizeof *shape;
  ilt_go_tensor* out = malloc(sizeof *out + shape_bytes + count * sizeof *values);
  if (out == NULL) return NULL;
  memset(out, 0, sizeof *out);
  out->version.major = 1;
  out->deleter = free_block;
  out->tensor.device.type = cpu;
  out->tensor.ndim = ndim;
  out->tensor.dtype.code = floating;
  out->tensor.dtype.bits = 32;
  out->tensor.dtype.lanes = 1;
  out->tensor.shape = (int64_t*)(out + 1);
  out->tensor.data = (char*)out->tensor.shape + shape_bytes;
  if (shape_bytes != 0) memcpy(out->tensor.shape, shape, shape_bytes);
  if (count != 0) memcpy(out->tensor.data, values, count * sizeof *values);
  return out;
}

const float* ilt_go_tensor_values(const ilt_go_tensor* tensor) {
  int64_t stride = 1;
  if (tensor->version.major != 1 || tensor->tensor.device.type != cpu || tensor->tensor.dtype.code != floating ||
      tensor->tensor.dtype.bits != 32 || tensor->tensor.dtype.lanes != 1)
    return NULL;
  for (int32_t i = tensor->tensor.ndim - 1; tensor->tensor.strides != NULL && i >= 0; --i) {
    if (tensor->tensor.shape[i] != 1 && tensor->tensor.strides[i] != stride) return NULL;
    stride *= tensor->tensor.shape[i];
  }
  return (const float*)((const char*)tensor->tensor.data + tensor->tensor.byte_offset);
}

void ilt_go_tensor_free(ilt_go_tensor* tensor) {
  if (tensor->deleter != NULL) tensor->deleter(tensor);
}
