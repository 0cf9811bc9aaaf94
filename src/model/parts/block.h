// A decoder block: attention (or another mixer) and feed-forward as residual branches, one after the other or side by
// side.
#pragma once

#include "model/parts/branch.h"
#include "model/parts/feed_forward.h"
#include "model/parts/mixer.h"

namespace ilt {

// What a block keeps from forward to backward.
struct BlockSaved {
  at::Tensor input;
  Mixer::Saved attention;
  at::Tensor attention_output;
  at::Tensor middle;  // the stream between the branches, where they follow each other
  FeedForward::Saved mlp;
  at::Tensor mlp_output;
  BlockSaved first(std::int64_t tokens) const;
};

// Working memory that blocks share.
struct BlockScratch {
  Branch::Scratch attention_branch, mlp_branch;
  Mixer::Scratch attention;
  FeedForward::Scratch mlp;
  BlockScratch first(std::int64_t tokens) const;
};

class Block {
 public:
  Block(const DecoderSpec& spec, std::int64_t layer, ParameterSet& parameters);

  // All but the input, which is the output of the block before.
  BlockSaved make_saved(std::int64_t tokens, const Allocate& allocate) const;
  BlockScratch make_scratch(std::int64_t tokens, BufferUse use, const Allocate& allocate) const;

  // Of a row of the cache that decode needs.
  std::int64_t cache_width() const { return attention_->cache_width(); }

  // output = block(saved.input).
  void forward(const Positions& positions, BlockSaved& saved, BlockScratch& scratch, at::Tensor output) const;
  // d: the gradient of the output, becomes that of the input.
  void backward(const Positions& positions, BlockSaved& saved, BlockScratch& scratch, at::Tensor d) const;
  // The output for x, the residual stream of a continued sample's new tokens.
  at::Tensor decode(const Positions& positions, std::int64_t first, at::Tensor cache, const at::Tensor& x) const;

 private:
  template <typename Attend>
  void run(const Attend& attend, BlockSaved& saved, BlockScratch& scratch, at::Tensor output) const;
  void backward_mlp(BlockSaved& saved, const at::Tensor& d, BlockScratch& scratch) const;
  void backward_attention(const Positions& positions, BlockSaved& saved, const at::Tensor& d,
                          BlockScratch& scratch) const;

  std::int64_t hidden_;
  bool parallel_;
  Branch attention_branch_;
  std::unique_ptr<Mixer> attention_;
  Branch mlp_branch_;
  std::unique_ptr<FeedForward> mlp_;
};

}  // namespace ilt
