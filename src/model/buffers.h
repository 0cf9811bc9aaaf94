// The activations of a decoder, allocated once for a budget of tokens and used again for every micro-batch.
#pragma once

#include <vector>

#include "model/parts/block.h"

namespace ilt {

class Buffers {
 public:
  Buffers(const std::vector<Block>& blocks, std::int64_t hidden, std::int64_t tokens, BufferUse use,
          at::TensorOptions options);

  std::int64_t capacity() const noexcept { return capacity_; }
  std::int64_t bytes() const noexcept { return bytes_; }
  BufferUse use() const noexcept { return use_; }

  // Views of the first `tokens` rows.
  BlockSaved saved(std::size_t layer, std::int64_t tokens) const;
  BlockScratch scratch(std::size_t layer, std::int64_t tokens) const;
  // Where block `layer` writes its output: the next block's input.
  at::Tensor output(std::size_t layer, std::int64_t tokens) const;
  at::Tensor gradient(std::int64_t tokens) const;

 private:
  // The residual stream before block `layer`.
  const at::Tensor& stream(std::size_t layer) const;

  std::int64_t capacity_;
  std::int64_t bytes_ = 0;
  BufferUse use_;
  std::vector<at::Tensor> streams_;  // before each block, and after the last; two in turn where nothing is kept
  std::vector<BlockSaved> saved_;
  std::vector<BlockScratch> scratch_;
  at::Tensor gradient_;
};

}  // namespace ilt
