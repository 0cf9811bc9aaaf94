// Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434): queries, keys and values come from narrow latents, and
// one key per token, shared by all heads, carries the positions.
#pragma once

#include <optional>

#include "model/parts/linear.h"
#include "model/parts/mixer.h"
#include "ops/attention.h"
#include "ops/rotary.h"

namespace ilt {

class LatentAttention : public Mixer {
 public:
  LatentAttention(const DecoderSpec& spec, std::int64_t layer, ParameterSet& parameters);

  Saved make_saved(std::int64_t tokens, const Allocate& allocate) const override;
  Scratch make_scratch(std::int64_t tokens, BufferUse use, const Allocate& allocate) const override;
  void forward(const at::Tensor& x, const Positions& positions, Saved& saved, const Scratch& scratch, at::Tensor y,
               bool add) const override;
  void backward(const at::Tensor& x, const Positions& positions, const Saved& saved, const at::Tensor& d,
                Scratch& scratch, at::Tensor dx) const override;
  std::int64_t cache_width() const override { return packed_width(); }
  void decode(const at::Tensor& x, const Positions& positions, std::int64_t first, at::Tensor cache, at::Tensor y,
              bool add) const override;

 private:
  // Queries, keys and values as attention wants them: all heads of one width, values filled up with zeros.
  std::int64_t packed_width() const { return 3 * heads_.heads * heads_.head_dim; }
  // A norm's output for the first columns of `raw`, which its statistics are of.
  struct Latent {
    at::Tensor raw, normed;
    Norm::Stats stats;
  };
  static Latent normed(const Norm& norm, const at::Tensor& raw);
  static at::Tensor through_norm(const Norm& norm, const Latent& latent, const at::Tensor& d);

  void project(const at::Tensor& x, const Positions& positions, const Saved& saved, at::Tensor packed) const;
  void rotate(at::Tensor packed, const Positions& positions, ops::Rotation rotation) const;
  at::Tensor values_of(const at::Tensor& attended) const;
  void backward_queries(const at::Tensor& x, const Saved& saved, const at::Tensor& dq, at::Tensor dx) const;
  void backward_keys_values(const at::Tensor& x, const Saved& saved, const at::Tensor& dk, const at::Tensor& dv,
                            at::Tensor dx) const;

  LatentSpec spec_;
  ops::AttentionHeads heads_;
  std::optional<Linear> q_down_;  // to the latent of queries, where there is one
  std::optional<Norm> q_norm_;
  Linear q_up_;
  Linear kv_down_;  // to the latent of keys and values, and the key that turns
  Norm kv_norm_;
  Linear kv_up_;
  Linear output_;
};

}  // namespace ilt
