// ilt.h: cancellation.
#include "capi/guard.h"

using namespace ilt::capi;

ilt_status ilt_cancel_token_create(ilt_cancel_token** out, ilt_error** err) noexcept {
  return guard(err, [&] {
    require(out, "out");
    *out = new ilt_cancel_token;
  });
}

ilt_cancel_token* ilt_cancel_token_retain(ilt_cancel_token* token) noexcept {
  if (token != nullptr) token->references.fetch_add(1, std::memory_order_relaxed);
  return token;
}

void ilt_cancel_token_cancel(ilt_cancel_token* token) noexcept {
  if (token != nullptr) token->token.cancel();
}

int32_t ilt_cancel_token_is_cancelled(const ilt_cancel_token* token) noexcept {
  return token != nullptr && token->token.cancelled();
}

void ilt_cancel_token_free(ilt_cancel_token* token) noexcept {
  if (token != nullptr && token->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete token;
}
