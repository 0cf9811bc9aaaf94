// What every kind of feed-forward layer offers to its block.
#pragma once

#include <memory>

#include "model/parts/allocate.h"
#include "model/parts/linear.h"
#include "model/spec.h"

namespace ilt {

class FeedForward {
 public:
  virtual ~FeedForward() = default;

  // What forward keeps for backward.
  struct Saved {
    at::Tensor hidden;  // before the activation; backward turns it into its gradient
    Saved first(std::int64_t tokens) const { return {first_rows(hidden, tokens)}; }
  };
  // Working memory, shared by all layers.
  struct Scratch {
    at::Tensor activated, dactivated;
    Scratch first(std::int64_t tokens) const { return {first_rows(activated, tokens), first_rows(dactivated, tokens)}; }
  };
  virtual Saved make_saved(std::int64_t tokens, const Allocate& allocate) const = 0;
  virtual Scratch make_scratch(std::int64_t tokens, BufferUse use, const Allocate& allocate) const = 0;

  // y = f(x), or added to y.
  virtual void forward(const at::Tensor& x, Saved& saved, Scratch& scratch, at::Tensor y, bool add) const = 0;
  // dx = gradient of x, given d, that of y.
  virtual void backward(const at::Tensor& x, Saved& saved, const at::Tensor& d, Scratch& scratch,
                        at::Tensor dx) const = 0;
};

// The kind that the description asks for.
std::unique_ptr<FeedForward> make_feed_forward(const DecoderSpec& spec, std::int64_t layer, ParameterSet& parameters);

}  // namespace ilt
