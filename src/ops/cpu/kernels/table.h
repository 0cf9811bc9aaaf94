// The kernels of one instruction set: single-threaded functions over rows, called through this table.
#pragma once

#include <cstdint>

namespace ilt::ops::cpu {

// One attention problem: `length` consecutive tokens of one sample in packed rows [q heads | k heads | v heads].
struct AttentionShape {
  std::int64_t heads, kv_heads, head_dim;
  std::int64_t window;  // how many tokens a token sees, itself included; at least 1
  float scale;          // of the scores
  float softcap;        // scores become softcap * tanh(score / softcap); 0: they stay
  std::int64_t row_stride() const { return (heads + 2 * kv_heads) * head_dim; }
  std::int64_t out_stride() const { return heads * head_dim; }
  std::int64_t group() const { return heads / kv_heads; }
};

// Constants of one AdamW update, each rounded once from double: 1 - beta2 taken in fp32 would be wrong by 5e-5.
struct AdamWFactors {
  float grad_scale, one_minus_beta1, beta2, one_minus_beta2, step_size, bias2_sqrt, eps, decay;
};

struct KernelTable {
  // y[r] = x[r] * rstd[r] * weight for `rows` rows of `width`.
  void (*rms_norm)(std::int64_t rows, std::int64_t width, float eps, const float* x, const float* weight, float* y,
                   float* rstd);
  // dx += gradient of rms_norm; dweight (one row a thread) += its share.
  void (*rms_norm_backward)(std::int64_t rows, std::int64_t width, const float* x, const float* weight,
                            const float* rstd, const float* dy, float* dx, float* dweight);
  // y[r] = (x[r] - mean[r]) * rstd[r] * weight + bias; bias may be null.
  void (*layer_norm)(std::int64_t rows, std::int64_t width, float eps, const float* x, const float* weight,
                     const float* bias, float* y, float* mean, float* rstd);
  // As rms_norm_backward; dbias (one row a thread) likewise.
  void (*layer_norm_backward)(std::int64_t rows, std::int64_t width, const float* x, const float* weight,
                              const float* mean, const float* rstd, const float* dy, float* dx, float* dweight,
                              float* dbias);
  // Rotates the first `heads` heads of each row by the row's angles (half-split layout); direction -1 undoes it.
  void (*rotary)(std::int64_t rows, std::int64_t row_stride, std::int64_t heads, std::int64_t head_dim,
                 std::int64_t rotary_dim, float direction, const float* cosine, const float* sine, float* x);
  // The same for pairs of neighbours.
  void (*rotary_interleaved)(std::int64_t rows, std::int64_t row_stride, std::int64_t heads, std::int64_t head_dim,
                             std::int64_t rotary_dim, float direction, const float* cosine, const float* sine,
                             float* x);
  // out = silu(gate) * up; a row of gate_up is [gate | up].
  void (*swiglu)(std::int64_t rows, std::int64_t width, const float* gate_up, float* out);
  // As swiglu, and gate_up becomes its own gradient.
  void (*swiglu_backward)(std::int64_t rows, std::int64_t width, float* gate_up, const float* dout, float* out);
  // Adds to *loss the cross-entropy of each row against its target, and to *z the square of its log-sum-exp, both times
  // the row's weight; logits become the gradient of loss + z_weight * z.
  void (*cross_entropy)(std::int64_t rows, std::int64_t vocab, float* logits, const std::int64_t* targets,
                        const float* weights, float z_weight, double* loss, double* z);
  // logprob[r] = log softmax(logits[r])[targets[r]].
  void (*log_prob)(std::int64_t rows, std::int64_t vocab, const float* logits, const std::int64_t* targets,
                   float* logprob);
  void (*adamw)(std::int64_t n, float* value, const float* grad, float* m, float* v, const AdamWFactors& factors);
  double (*sum_squares)(std::int64_t n, const float* x);
  // Queries [q_begin, q_end) of one head over the sample whose first row is qkv; out and lse begin at query q_begin.
  void (*attention)(const AttentionShape& shape, std::int64_t head, std::int64_t q_begin, std::int64_t q_end,
                    const float* qkv, float* out, float* lse);
  // All query heads that share one key-value head, over one sample of `length` rows; dqkv is overwritten there.
  void (*attention_backward)(const AttentionShape& shape, std::int64_t kv_head, std::int64_t length, const float* qkv,
                             const float* out, const float* lse, const float* dout, float* dqkv);
};

inline constexpr std::int64_t attention_tile = 64;

// The best table for the processor that runs this; ILT_CPU_ISA=baseline|avx2|avx512 in the environment lowers it.
const KernelTable& kernels();

}  // namespace ilt::ops::cpu
