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
    at::Tensor hidden = {};  // before the activation; backward turns it into its gradient
    // Of mixtures of experts: the router's logits, and the same of the expert that every token visits, with what it
    // gave and its weight.
    at::Tensor logits = {}, shared_hidden = {}, shared_output = {}, shared_gate = {};
    Saved first(std::int64_t n) const {
      return {first_rows(hidden, n), first_rows(logits, n), first_rows(shared_hidden, n), first_rows(shared_output, n),
              first_rows(shared_gate, n)};
    }
  };
  // Working memory, shared by all layers.
  struct Scratch {
    at::Tensor activated = {}, dactivated = {};
    // Of mixtures of experts: inputs and outputs sorted by expert, and the same of the one that every token visits.
    at::Tensor rows = {}, outputs = {}, shared_activated = {}, shared_dactivated = {};
    // What to add to the gradient of the router's scores: that of LoadBalance, or undefined. [tokens, experts]
    at::Tensor dscores = {};
    Scratch first(std::int64_t n) const {
      return {first_rows(activated, n), first_rows(dactivated, n),       first_rows(rows, n),
              first_rows(outputs, n),   first_rows(shared_activated, n), first_rows(shared_dactivated, n)};
    }
  };
  virtual Saved make_saved(std::int64_t tokens, const Allocate& allocate) const = 0;
  virtual Scratch make_scratch(std::int64_t tokens, BufferUse use, const Allocate& allocate) const = 0;

  // y = f(x), or added to y.
  virtual void forward(const at::Tensor& x, Saved& saved, Scratch& scratch, at::Tensor y, bool add) const = 0;
  // dx = gradient of x, given d, that of y; or added to dx.
  virtual void backward(const at::Tensor& x, Saved& saved, const at::Tensor& d, Scratch& scratch, at::Tensor dx,
                        bool add) const = 0;
};

// The kind that the description asks for.
std::unique_ptr<FeedForward> make_feed_forward(const DecoderSpec& spec, std::int64_t layer, ParameterSet& parameters);

}  // namespace ilt
