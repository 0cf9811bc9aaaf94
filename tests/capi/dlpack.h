/* DLPack 1's structs, as the standard lays them out (dmlc.github.io/dlpack): what a host declares that has no dlpack.h.
 */
#ifndef ILT_TESTS_DLPACK_H_
#define ILT_TESTS_DLPACK_H_

#include <stdint.h>

enum { DL_CPU = 1, DL_CUDA = 2, DL_INT = 0, DL_FLOAT = 2, DL_BFLOAT = 4 };
enum { DL_READ_ONLY = 1, DL_IS_COPIED = 2 };

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
      int32_t device_type, device_id;
    } device;
    int32_t ndim;
    struct {
      uint8_t code, bits;
      uint16_t lanes;
    } dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
  } dl_tensor;
} DLManagedTensorVersioned;

#endif
