// ilt.h: parameters.
#include "train/parameters.h"

#include "capi/guard.h"
#include "capi/output.h"
#include "device/dlpack.h"

using namespace ilt::capi;

ilt_status ilt_param_count(const ilt_session* session, size_t* out, ilt_error** err) noexcept {
  return guard(session, Access::shared, err, [&] {
    require(out, "out");
    *out = session->value.parameters().size();
  });
}

ilt_status ilt_param_name(const ilt_session* session, size_t index, const char** out, ilt_error** err) noexcept {
  return guard(session, Access::shared, err, [&] {
    require(out, "out");
    *out = session->value.parameters().name(index).c_str();
  });
}

ilt_status ilt_param_info_json(const ilt_session* session, const char* name, char** out, size_t* out_length,
                               ilt_error** err) noexcept {
  return guard(session, Access::shared, err, [&] {
    require(name, "name");
    give_string(ilt::to_line(session->value.parameters().describe(name)), out, out_length);
  });
}

ilt_status ilt_param_to_dlpack(ilt_session* session, const char* name, int32_t copy, DLManagedTensorVersioned** out,
                               ilt_error** err) noexcept {
  return guard(session, Access::nested, err, [&] {
    require(name, "name");
    require(out, "out");
    const auto& parameters = session->value.parameters();
    *out = copy != 0 ? ilt::to_dlpack(parameters.copy(name), DLPACK_FLAG_BITMASK_IS_COPIED)
                     : ilt::to_dlpack(parameters.view(name), DLPACK_FLAG_BITMASK_READ_ONLY);
  });
}

ilt_status ilt_param_from_dlpack(ilt_session* session, const char* name, DLManagedTensorVersioned* source,
                                 ilt_error** err) noexcept {
  return guard(err, [&] {
    const ilt::ForeignTensor tensor(source);  // it ends here whatever follows
    require(name, "name");
    require(source, "source");
    use(session, Access::nested, [&] {
      const auto& parameters = session->value.parameters();
      parameters.assign(name, tensor.view(parameters.shape(name)));
    });
  });
}
