// A mixture of experts: a router, feed-forward layers of which each token visits a few, and one that all may visit.
#pragma once

#include <optional>
#include <vector>

#include "model/parts/feed_forward.h"
#include "model/parts/mlp.h"
#include "model/parts/router.h"

namespace ilt {

class Experts : public FeedForward {
 public:
  Experts(const DecoderSpec& spec, std::int64_t layer, ParameterSet& parameters);

  Saved make_saved(std::int64_t tokens, const Allocate& allocate) const override;
  Scratch make_scratch(std::int64_t tokens, BufferUse use, const Allocate& allocate) const override;
  void forward(const at::Tensor& x, Saved& saved, Scratch& scratch, at::Tensor y, bool add) const override;
  void backward(const at::Tensor& x, Saved& saved, const at::Tensor& d, Scratch& scratch, at::Tensor dx,
                bool add) const override;

 private:
  // Tokens sorted by expert: row r is token tokens[r], the slots[r]-th of all choices; expert e has the rows
  // [starts[e], starts[e + 1]).
  struct Dispatch {
    at::Tensor tokens, slots;
    std::vector<std::int64_t> starts;
    at::Tensor weights;  // [rows, 1]
  };
  Dispatch dispatch(const Router::Choice& choice) const;
  // f(expert, first row, rows) for each expert that has any.
  template <typename F>
  static void over_experts(const Dispatch& dispatch, const F& f);

  // The matrices of one expert.
  at::Tensor up_of(const at::Tensor& all, std::int64_t expert) const;
  at::Tensor down_of(const at::Tensor& all, std::int64_t expert) const;

  void add_shared(const at::Tensor& x, Saved& saved, Scratch& scratch, at::Tensor y) const;
  void shared_backward(const at::Tensor& x, Saved& saved, const at::Tensor& d, Scratch& scratch, at::Tensor dx) const;

  std::int64_t hidden_, width_;
  double scale_;  // of the residual branch
  ops::Activation activation_;
  Router router_;
  Parameter* gate_up_;       // [experts * 2 width, hidden]
  Parameter* gate_up_bias_;  // null where there is none
  Parameter* down_;          // [experts * hidden, width]
  Parameter* down_bias_;
  std::optional<Mlp> shared_;
  std::optional<Linear> shared_gate_;
};

}  // namespace ilt
