// ilt.h: errors and memory.
#include <cstdlib>

#include "capi/handles.h"

ilt_status ilt_error_status(const ilt_error* err) noexcept {
  return err != nullptr ? static_cast<ilt_status>(err->status) : ILT_OK;
}

const char* ilt_error_message(const ilt_error* err) noexcept {
  return err != nullptr ? err->message.c_str() : "";
}

const char* ilt_error_detail_json(const ilt_error* err) noexcept {
  return err != nullptr ? err->detail.c_str() : "{}";
}

void ilt_error_free(ilt_error* err) noexcept {
  delete err;
}

void ilt_free(void* memory) noexcept {
  std::free(memory);
}

#define ILT_NAME(constant) \
  case constant:           \
    return #constant
const char* ilt_status_name(ilt_status status) noexcept {
  switch (status) {
    ILT_NAME(ILT_OK);
    ILT_NAME(ILT_DONE);
    ILT_NAME(ILT_STOPPED);
    ILT_NAME(ILT_ERR_INVALID_ARGUMENT);
    ILT_NAME(ILT_ERR_INVALID_STATE);
    ILT_NAME(ILT_ERR_BUSY);
    ILT_NAME(ILT_ERR_CONFIG);
    ILT_NAME(ILT_ERR_NOT_FOUND);
    ILT_NAME(ILT_ERR_IO);
    ILT_NAME(ILT_ERR_FORMAT);
    ILT_NAME(ILT_ERR_DATA);
    ILT_NAME(ILT_ERR_OOM_HOST);
    ILT_NAME(ILT_ERR_OOM_DEVICE);
    ILT_NAME(ILT_ERR_DEVICE);
    ILT_NAME(ILT_ERR_NUMERIC);
    ILT_NAME(ILT_ERR_DIST);
    ILT_NAME(ILT_ERR_TIMEOUT);
    ILT_NAME(ILT_ERR_UNSUPPORTED);
    ILT_NAME(ILT_ERR_VERSION);
    ILT_NAME(ILT_ERR_CALLBACK);
    ILT_NAME(ILT_ERR_FORKED);
    ILT_NAME(ILT_ERR_INTERNAL);
    default:
      return "unknown status";
  }
}
#undef ILT_NAME
