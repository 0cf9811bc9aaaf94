// What every kind of layer that lets tokens of a sample see each other offers to its block.
#pragma once

#include <memory>

#include "model/parts/allocate.h"
#include "model/parts/head_norm.h"
#include "model/parts/rotary.h"
#include "model/spec.h"

namespace ilt {

class Mixer {
 public:
  virtual ~Mixer() = default;

  // What forward keeps for backward.
  struct Saved {
    at::Tensor projected = {};          // the packed projections: of attention, rotated
    at::Tensor mixed = {};              // what the output projection reads
    at::Tensor lse = {};                // of attention: the scores' log-sum-exp
    at::Tensor raw_q = {}, raw_k = {};  // queries and keys (or their latents) from before their norms
    Saved first(std::int64_t n) const {
      return {first_rows(projected, n), first_rows(mixed, n), first_rows(lse, n), first_rows(raw_q, n),
              first_rows(raw_k, n)};
    }
  };
  // Working memory, shared by all layers.
  struct Scratch {
    at::Tensor dprojected, dmixed;
    HeadNorm::Scratch norm;
    Scratch first(std::int64_t n) const { return {first_rows(dprojected, n), first_rows(dmixed, n), norm}; }
  };
  virtual Saved make_saved(std::int64_t tokens, const Allocate& allocate) const = 0;
  virtual Scratch make_scratch(std::int64_t tokens, BufferUse use, const Allocate& allocate) const = 0;

  // y = mix(x), or added to y.
  virtual void forward(const at::Tensor& x, const Positions& positions, Saved& saved, const Scratch& scratch,
                       at::Tensor y, bool add) const = 0;
  // dx = gradient of x, given d, that of y.
  virtual void backward(const at::Tensor& x, const Positions& positions, const Saved& saved, const at::Tensor& d,
                        Scratch& scratch, at::Tensor dx) const = 0;

  // As forward for one sample that is continued: x are its tokens from `first` on, cache holds what the layer keeps of
  // all its tokens [tokens, cache_width] and gains those of x.
  virtual std::int64_t cache_width() const = 0;
  virtual void decode(const at::Tensor& x, const Positions& positions, std::int64_t first, at::Tensor cache,
                      at::Tensor y, bool add) const = 0;
};

// The kind that the description asks for.
std::unique_ptr<Mixer> make_mixer(const DecoderSpec& spec, std::int64_t layer, ParameterSet& parameters);

}  // namespace ilt
