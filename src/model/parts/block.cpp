// A decoder block; the outputs of its norms are recomputed in backward, which is nearly free.
#include "model/parts/block.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

namespace ilt {

BlockSaved BlockSaved::first(std::int64_t n) const {
  return {first_rows(input, n),  attention.first(n), first_rows(attention_output, n),
          first_rows(middle, n), mlp.first(n),       first_rows(mlp_output, n)};
}

BlockScratch BlockScratch::first(std::int64_t n) const {
  return {attention_branch.first(n), mlp_branch.first(n), attention.first(n), mlp.first(n)};
}

Block::Block(const DecoderSpec& s, std::int64_t layer, ParameterSet& parameters)
    : hidden_(s.hidden),
      parallel_(s.parallel),
      attention_branch_(s, layer, s.names.attention_norm, s.names.attention_post_norm, parameters),
      attention_(make_mixer(s, layer, parameters)),
      mlp_branch_(s, layer, s.names.mlp_norm, s.names.mlp_post_norm, parameters),
      mlp_(make_feed_forward(s, layer, parameters)) {}

BlockSaved Block::make_saved(std::int64_t tokens, const Allocate& allocate) const {
  BlockSaved saved;
  saved.attention = attention_->make_saved(tokens, allocate);
  saved.attention_output = attention_branch_.make_output(tokens, allocate);
  if (!parallel_) saved.middle = allocate({tokens, hidden_});
  saved.mlp = mlp_->make_saved(tokens, allocate);
  saved.mlp_output = mlp_branch_.make_output(tokens, allocate);
  return saved;
}

BlockScratch Block::make_scratch(std::int64_t tokens, BufferUse use, const Allocate& allocate) const {
  BlockScratch scratch;
  scratch.attention_branch = attention_branch_.make_scratch(tokens, use, allocate);
  // Branches that follow each other use the same memory.
  scratch.mlp_branch = parallel_ ? mlp_branch_.make_scratch(tokens, use, allocate) : scratch.attention_branch;
  scratch.attention = attention_->make_scratch(tokens, use, allocate);
  scratch.mlp = mlp_->make_scratch(tokens, use, allocate);
  return scratch;
}

// attend(x, y, add) is the attention layer.
template <typename Attend>
void Block::run(const Attend& attend, BlockSaved& saved, BlockScratch& scratch, at::Tensor output) const {
  const auto feed = [&](const at::Tensor& x, const at::Tensor& stream) {
    mlp_branch_.add([&](const at::Tensor& y, bool add) { mlp_->forward(x, saved.mlp, scratch.mlp, y, add); },
                    saved.mlp_output, scratch.mlp_branch, stream);
  };
  const at::Tensor x = attention_branch_.read(saved.input, scratch.attention_branch);
  const at::Tensor& middle = parallel_ ? output : saved.middle;
  middle.copy_(saved.input);
  attention_branch_.add([&](const at::Tensor& y, bool add) { attend(x, y, add); }, saved.attention_output,
                        scratch.attention_branch, middle);
  if (parallel_) {
    feed(mlp_branch_.normalises_input() ? mlp_branch_.read(saved.input, scratch.mlp_branch) : x, output);
  } else {
    const at::Tensor normed = mlp_branch_.read(middle, scratch.mlp_branch);
    output.copy_(middle);
    feed(normed, output);
  }
}

void Block::forward(const Positions& positions, BlockSaved& saved, BlockScratch& scratch, at::Tensor output) const {
  const auto attend = [&](const at::Tensor& x, const at::Tensor& y, bool add) {
    attention_->forward(x, positions, saved.attention, scratch.attention, y, add);
  };
  run(attend, saved, scratch, output);
}

// Leaves the gradient of what the layer read in the branch's dnormed.
void Block::backward_mlp(BlockSaved& saved, const at::Tensor& d, BlockScratch& scratch) const {
  const bool shares_norm = parallel_ && !mlp_branch_.normalises_input();
  const at::Tensor dout = mlp_branch_.output_gradient(saved.mlp_output, d, scratch.mlp_branch);
  const at::Tensor x = shares_norm ? attention_branch_.read(saved.input, scratch.attention_branch)
                                   : mlp_branch_.read(parallel_ ? saved.input : saved.middle, scratch.mlp_branch);
  mlp_->backward(x, saved.mlp, dout, scratch.mlp, scratch.mlp_branch.dnormed, /*add=*/false);
}

void Block::backward_attention(const Positions& positions, BlockSaved& saved, const at::Tensor& d,
                               BlockScratch& scratch) const {
  const at::Tensor dout = attention_branch_.output_gradient(saved.attention_output, d, scratch.attention_branch);
  const at::Tensor x = attention_branch_.read(saved.input, scratch.attention_branch);
  attention_->backward(x, positions, saved.attention, dout, scratch.attention, scratch.attention_branch.dnormed);
}

void Block::backward(const Positions& positions, BlockSaved& saved, BlockScratch& scratch, at::Tensor d) const {
  backward_mlp(saved, d, scratch);
  if (!parallel_) mlp_branch_.input_gradient(saved.middle, scratch.mlp_branch.dnormed, scratch.mlp_branch, d);
  backward_attention(positions, saved, d, scratch);
  if (parallel_) {  // only now: both branches needed d as it was
    if (mlp_branch_.normalises_input())
      mlp_branch_.input_gradient(saved.input, scratch.mlp_branch.dnormed, scratch.mlp_branch, d);
    else
      scratch.attention_branch.dnormed.add_(scratch.mlp_branch.dnormed);
  }
  attention_branch_.input_gradient(saved.input, scratch.attention_branch.dnormed, scratch.attention_branch, d);
}

at::Tensor Block::decode(const Positions& positions, std::int64_t first, at::Tensor cache, const at::Tensor& x) const {
  const Allocate allocate = [&](at::IntArrayRef shape) { return at::empty(shape, x.options()); };
  BlockSaved saved = make_saved(x.size(0), allocate);
  BlockScratch scratch = make_scratch(x.size(0), BufferUse::inference, allocate);
  saved.input = x;
  at::Tensor output = at::empty_like(x);
  run([&](const at::Tensor& normed, const at::Tensor& y,
          bool add) { attention_->decode(normed, positions, first, cache, y, add); },
      saved, scratch, output);
  return output;
}

}  // namespace ilt
