// A state-space layer of the second Mamba (Dao & Gu, arXiv 2405.21060): projection, short convolution, a linear
// recurrence, gated norm, projection. Between the projections libtorch's autograd does the backward pass.
#pragma once

#include "model/parts/linear.h"
#include "model/parts/mixer.h"
#include "model/parts/state_space.h"

namespace ilt {

class Mamba : public Mixer {
 public:
  Mamba(const DecoderSpec& spec, std::int64_t layer, ParameterSet& parameters);

  Saved make_saved(std::int64_t tokens, const Allocate& allocate) const override;
  Scratch make_scratch(std::int64_t tokens, BufferUse use, const Allocate& allocate) const override;
  void forward(const at::Tensor& x, const Positions& positions, Saved& saved, const Scratch& scratch, at::Tensor y,
               bool add) const override;
  void backward(const at::Tensor& x, const Positions& positions, const Saved& saved, const at::Tensor& d,
                Scratch& scratch, at::Tensor dx) const override;
  // The cache keeps the projections of all tokens, and each step runs over them again.
  std::int64_t cache_width() const override { return projected_width(); }
  void decode(const at::Tensor& x, const Positions& positions, std::int64_t first, at::Tensor cache, at::Tensor y,
              bool add) const override;

 private:
  std::int64_t projected_width() const { return spec_.inner() + spec_.convolved() + spec_.heads; }
  std::vector<Parameter*> parameters() const;
  // The weights in the order of parameters(), as leaves of a graph where `learning`.
  std::vector<at::Tensor> leaves(bool learning) const;
  at::Tensor mix_sample(const at::Tensor& projected, const std::vector<at::Tensor>& weights) const;

  MambaSpec spec_;
  double norm_eps_;
  Linear input_;
  Parameter* convolution_;       // [convolved, 1, taps]
  Parameter* convolution_bias_;  // null where there is none
  Parameter* step_bias_;         // [heads]
  Parameter* log_decay_;         // [heads]
  Parameter* skip_;              // [heads]
  Parameter* norm_;              // [inner]
  Linear output_;
};

}  // namespace ilt
