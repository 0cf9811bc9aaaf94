// Allocating activations, and views of their first rows.
#include "model/buffers.h"

#include <ATen/ops/empty.h>

namespace ilt {

namespace {

// Memory that blocks use one after another: the n-th tensor that each asks for lies where that of the others does,
// unless it is larger.
class SharedMemory {
 public:
  explicit SharedMemory(at::TensorOptions options) : options_(options) {}

  Allocate for_next_block() {
    return [this, next = std::size_t{0}](at::IntArrayRef shape) mutable {
      std::int64_t values = 1;
      for (const std::int64_t n : shape) values *= n;
      if (next == tensors_.size()) tensors_.emplace_back();
      at::Tensor& memory = tensors_[next++];
      if (!memory.defined() || memory.numel() < values) memory = at::empty({values}, options_);
      return memory.narrow(0, 0, values).view(shape);
    };
  }

  std::int64_t bytes() const {
    std::int64_t all = 0;
    for (const at::Tensor& t : tensors_) all += static_cast<std::int64_t>(t.nbytes());
    return all;
  }

 private:
  at::TensorOptions options_;
  std::vector<at::Tensor> tensors_;
};

}  // namespace

Buffers::Buffers(const std::vector<Block>& blocks, std::int64_t hidden, std::int64_t tokens, BufferUse use,
                 at::TensorOptions options)
    : capacity_(tokens), use_(use) {
  const bool training = use == BufferUse::training;
  const Allocate own = [&](at::IntArrayRef shape) {
    const at::Tensor memory = at::empty(shape, options);
    bytes_ += static_cast<std::int64_t>(memory.nbytes());
    return memory;
  };
  SharedMemory shared_saved(options);
  SharedMemory shared_scratch(options);
  for (std::size_t i = 0; i < (training ? blocks.size() + 1 : 2); ++i) streams_.push_back(own({tokens, hidden}));
  for (const Block& block : blocks) {
    saved_.push_back(block.make_saved(tokens, training ? own : shared_saved.for_next_block()));
    scratch_.push_back(block.make_scratch(tokens, use, shared_scratch.for_next_block()));
  }
  if (training) gradient_ = own({tokens, hidden});
  bytes_ += shared_saved.bytes() + shared_scratch.bytes();
}

const at::Tensor& Buffers::stream(std::size_t layer) const {
  return streams_[use_ == BufferUse::training ? layer : layer % 2];
}

BlockSaved Buffers::saved(std::size_t layer, std::int64_t n) const {
  BlockSaved saved = saved_[layer].first(n);
  saved.input = first_rows(stream(layer), n);
  return saved;
}

BlockScratch Buffers::scratch(std::size_t layer, std::int64_t n) const {
  return scratch_[layer].first(n);
}

at::Tensor Buffers::output(std::size_t layer, std::int64_t n) const {
  return first_rows(stream(layer + 1), n);
}

at::Tensor Buffers::gradient(std::int64_t n) const {
  return first_rows(gradient_, n);
}

}  // namespace ilt
