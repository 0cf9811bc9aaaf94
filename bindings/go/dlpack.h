// The layout of a DLPack 1 tensor (https://dmlc.github.io/dlpack), and how float32 values go to and from Go.
#ifndef ILT_GO_DLPACK_H_
#define ILT_GO_DLPACK_H_

#include <stddef.h>
#include <stdint.h>

typedef struct DLManagedTensorVersioned {
  struct {
    uint32_t major, minor;
  } version;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned* self);
  uint64_t flags;
  struct {
    void* data;
    struct {
      int32_t type, id;
    } device;
    int32_t ndim;
    struct {
      uint8_t code, bits;
      uint16_t lanes;
    } dtype;
    int64_t* shape;
    int64_t* strides;  // in elements; NULL: row-major
    uint64_t byte_offset;
  } tensor;
} ilt_go_tensor;

// A row-major float32 tensor with a copy of values; NULL without memory.
ilt_go_tensor* ilt_go_tensor_create(const float* values, size_t count, const int64_t* shape, int32_t ndim);

// The values of a row-major float32 tensor on the CPU; NULL for another.
const float* ilt_go_tensor_values(const ilt_go_tensor* tensor);

void ilt_go_tensor_free(ilt_go_tensor* tensor);

#endif
