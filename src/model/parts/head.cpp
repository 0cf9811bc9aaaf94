// The head in chunks: gather, norm, project, loss and gradient in one pass, scatter back.
#include "model/parts/head.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "ops/rows.h"

namespace ilt {

namespace {

// Rows of logits alive at once: enough for full speed of the matrix products, little memory (measured: 256 and 512
// are within noise of each other on two cores).
constexpr std::int64_t chunk = 256;

Parameter& projection_weight(const DecoderSpec& s, ParameterSet& parameters, Parameter& embedding) {
  return s.tied ? embedding : parameters.add({{s.names.head, 0, {s.vocab, s.hidden}}});
}

// The buffers of one pass, made once for the largest chunk.
struct ChunkBuffers {
  at::Tensor gathered, normed, rstd, logits;

  ChunkBuffers(std::int64_t rows, std::int64_t hidden, std::int64_t vocab, at::TensorOptions options)
      : gathered(at::empty({rows, hidden}, options)),
        normed(at::empty({rows, hidden}, options)),
        rstd(at::empty({rows}, options)),
        logits(at::empty({rows, vocab}, options)) {}

  ChunkBuffers first(std::int64_t n) const {
    ChunkBuffers part = *this;
    for (at::Tensor* t : {&part.gathered, &part.normed, &part.rstd, &part.logits}) *t = t->narrow(0, 0, n);
    return part;
  }
};

}  // namespace

Head::Head(const DecoderSpec& s, ParameterSet& parameters, Parameter& embedding)
    : norm_(parameters.add({{s.names.final_norm, 0, {s.hidden}}}), s.norm_eps),
      projection_(projection_weight(s, parameters, embedding), nullptr),
      vocab_(s.vocab) {}

ops::CrossEntropySums Head::loss_and_gradient(const at::Tensor& x, const MicroBatch& batch, double z_weight,
                                              at::Tensor d) const {
  d.zero_();
  const std::int64_t targets = batch.target_count();
  const std::int64_t hidden = x.size(1);
  const ChunkBuffers buffers(std::min(chunk, targets), hidden, vocab_, x.options());
  const at::Tensor dnormed = at::empty_like(buffers.gathered);
  const at::Tensor dgathered = at::empty_like(buffers.gathered);
  ops::CrossEntropySums sums;
  for (std::int64_t begin = 0; begin < targets; begin += chunk) {
    const std::int64_t n = std::min(chunk, targets - begin);
    const ChunkBuffers b = buffers.first(n);
    const at::Tensor rows = batch.rows.narrow(0, begin, n);
    ops::gather_rows(x, rows, b.gathered);
    norm_.forward(b.gathered, b.normed, b.rstd);
    projection_.forward(b.normed, b.logits);
    const auto part =
        ops::cross_entropy(b.logits, batch.targets.narrow(0, begin, n), batch.weights.narrow(0, begin, n), z_weight);
    sums.loss += part.loss;
    sums.z += part.z;
    projection_.backward_weight(b.normed, b.logits);
    projection_.backward_input(b.logits, dnormed.narrow(0, 0, n));
    const at::Tensor dx = dgathered.narrow(0, 0, n).zero_();
    norm_.backward(b.gathered, b.rstd, dnormed.narrow(0, 0, n), dx);
    ops::add_rows(d, rows, dx);
  }
  return sums;
}

at::Tensor Head::log_probs(const at::Tensor& x, const MicroBatch& batch) const {
  const std::int64_t targets = batch.target_count();
  const ChunkBuffers buffers(std::min(chunk, targets), x.size(1), vocab_, x.options());
  const at::Tensor result = at::empty({targets}, x.options());
  for (std::int64_t begin = 0; begin < targets; begin += chunk) {
    const std::int64_t n = std::min(chunk, targets - begin);
    const ChunkBuffers b = buffers.first(n);
    ops::gather_rows(x, batch.rows.narrow(0, begin, n), b.gathered);
    norm_.forward(b.gathered, b.normed, b.rstd);
    projection_.forward(b.normed, b.logits);
    ops::log_prob(b.logits, batch.targets.narrow(0, begin, n), result.narrow(0, begin, n));
  }
  return result;
}

at::Tensor Head::logits(const at::Tensor& x) const {
  const ChunkBuffers b(x.size(0), x.size(1), vocab_, x.options());
  norm_.forward(x, b.normed, b.rstd);
  projection_.forward(b.normed, b.logits);
  return b.logits;
}

}  // namespace ilt
