// Causal attention within each packed sample, with grouped key-value heads (Ainslie et al., arXiv 2305.13245).
#pragma once

#include <span>

#include "ops/tensor.h"

namespace ilt::ops {

struct AttentionHeads {
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;  // divides heads
  std::int64_t head_dim = 0;
  double scale = 0.0;
  std::int64_t window = 0;  // how many tokens a token sees, itself included; 0: all before it
  double softcap = 0.0;     // scores become softcap * tanh(score / softcap) (arXiv 2408.00118); 0: they stay
};

// Samples lie one after another: sample i is rows [starts[i], starts[i + 1]). A token sees its own sample up to itself.
using Segments = std::span<const std::int64_t>;

// qkv [tokens, (heads + 2 kv_heads) * head_dim]: a row holds the query heads, then the key heads, then the value heads.
// out [tokens, heads * head_dim]; lse [tokens, heads], the log-sum-exp of each score row, is kept for the backward
// pass.
void attention(const AttentionHeads& shape, Segments starts, const Tensor& qkv, Tensor out, Tensor lse);
// One sample's queries from token `first` on: qkv holds all its tokens, out and lse have tokens - first rows.
void attention_tail(const AttentionHeads& shape, std::int64_t first, const Tensor& qkv, Tensor out, Tensor lse);
// dqkv is overwritten.
void attention_backward(const AttentionHeads& shape, Segments starts, const Tensor& qkv, const Tensor& out,
                        const Tensor& lse, const Tensor& dout, Tensor dqkv);

namespace plain {
void attention(const AttentionHeads& shape, Segments starts, const Tensor& qkv, Tensor out, Tensor lse);
void attention_backward(const AttentionHeads& shape, Segments starts, const Tensor& qkv, const Tensor& out,
                        const Tensor& lse, const Tensor& dout, Tensor dqkv);
}  // namespace plain

}  // namespace ilt::ops
