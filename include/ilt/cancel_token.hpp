// A token that asks calls to stop.
#ifndef ILT_CANCEL_TOKEN_HPP_
#define ILT_CANCEL_TOKEN_HPP_

#include <ilt.h>

#include <ilt/error.hpp>

#include <utility>

namespace ilt {

// Asks calls to stop, from any thread or a signal handler. Copies are the same token; it outlives sessions.
class CancelToken {
 public:
  CancelToken() : CancelToken(detail::make<Token>(ilt_cancel_token_create)) {}
  CancelToken(const CancelToken& other) noexcept : token_(other.c() ? ilt_cancel_token_retain(other.c()) : nullptr) {}
  CancelToken(CancelToken&&) noexcept = default;
  CancelToken& operator=(CancelToken other) noexcept {
    token_ = std::move(other.token_);
    return *this;
  }
  ~CancelToken() = default;
  // No token: a call that takes it runs to its end.
  static CancelToken none() noexcept { return CancelToken(Token()); }

  void cancel() noexcept { ilt_cancel_token_cancel(c()); }
  bool is_cancelled() const noexcept { return ilt_cancel_token_is_cancelled(c()) != 0; }
  ilt_cancel_token* c() const noexcept { return token_.get(); }

 private:
  using Token = detail::Handle<ilt_cancel_token, ilt_cancel_token_free>;
  explicit CancelToken(Token token) noexcept : token_(std::move(token)) {}

  Token token_;
};

}  // namespace ilt

#endif  // ILT_CANCEL_TOKEN_HPP_
