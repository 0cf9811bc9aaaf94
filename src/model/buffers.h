// The activations of a decoder, allocated once for a budget of tokens and used again for every micro-batch.
#pragma once

#include <vector>

#include "model/parts/block.h"

namespace ilt {

enum class BufferUse {
  training,   // every block keeps what its backward needs
  inference,  // blocks share one set
};

class Buffers {
 public:
  Buffers(const DecoderSpec& spec, std::int64_t tokens, BufferUse use, at::TensorOptions options);

  std::int64_t capacity() const noexcept { return capacity_; }
  BufferUse use() const noexcept { return use_; }

  // Views of the first `tokens` rows.
  BlockSaved saved(std::int64_t layer, std::int64_t tokens) const;
  BlockScratch scratch(std::int64_t tokens) const;
  // Where block `layer` writes its output: the next block's input.
  at::Tensor output(std::int64_t layer, std::int64_t tokens) const;
  at::Tensor gradient(std::int64_t tokens) const;

 private:
  std::int64_t capacity_;
  BufferUse use_;
  std::vector<at::Tensor> streams_;  // the residual stream before each block, and after the last
  std::vector<BlockSaved> saved_;
  BlockScratch scratch_;
  at::Tensor gradient_;
};

}  // namespace ilt
