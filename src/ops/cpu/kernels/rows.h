// Declarations of one instruction set's kernels, for its table.
#pragma once

#include "ops/cpu/kernels/table.h"

namespace ilt::ops::cpu::ILT_ISA {

void rms_norm(std::int64_t rows, std::int64_t width, float eps, const float* x, const float* weight, float* y,
              float* rstd);
void rms_norm_backward(std::int64_t rows, std::int64_t width, const float* x, const float* weight, const float* rstd,
                       const float* dy, float* dx, float* dweight);
void layer_norm(std::int64_t rows, std::int64_t width, float eps, const float* x, const float* weight,
                const float* bias, float* y, float* mean, float* rstd);
void layer_norm_backward(std::int64_t rows, std::int64_t width, const float* x, const float* weight, const float* mean,
                         const float* rstd, const float* dy, float* dx, float* dweight, float* dbias);
void rotary(std::int64_t rows, std::int64_t row_stride, std::int64_t heads, std::int64_t head_dim,
            std::int64_t rotary_dim, float direction, const float* cosine, const float* sine, float* x);
void rotary_interleaved(std::int64_t rows, std::int64_t row_stride, std::int64_t heads, std::int64_t head_dim,
                        std::int64_t rotary_dim, float direction, const float* cosine, const float* sine, float* x);
void swiglu(std::int64_t rows, std::int64_t width, const float* gate_up, float* out);
void swiglu_backward(std::int64_t rows, std::int64_t width, float* gate_up, const float* dout, float* out);
void cross_entropy(std::int64_t rows, std::int64_t vocab, float* logits, const std::int64_t* targets,
                   const float* weights, float z_weight, double* loss, double* z);
void log_prob(std::int64_t rows, std::int64_t vocab, const float* logits, const std::int64_t* targets, float* logprob);
void adamw(std::int64_t n, float* value, const float* grad, float* m, float* v, const AdamWFactors& factors);
double sum_squares(std::int64_t n, const float* x);
void attention(const AttentionShape& shape, std::int64_t head, std::int64_t q_begin, std::int64_t q_end,
               const float* qkv, float* out, float* lse);
void attention_backward(const AttentionShape& shape, std::int64_t kv_head, std::int64_t length, const float* qkv,
                        const float* out, const float* lse, const float* dout, float* dqkv);

}  // namespace ilt::ops::cpu::ILT_ISA
