// The head in chunks: gather, norm, project, loss and gradient in one pass, scatter back.
#include "model/parts/head.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "model/parts/weights.h"
#include "ops/rows.h"

namespace ilt {

namespace {

// Rows of logits alive at once: enough for full speed of the matrix products, little memory (measured: 256 and 512
// are within noise of each other on two cores).
constexpr std::int64_t chunk = 256;

Parameter& projection_weight(const DecoderSpec& s, ParameterSet& parameters, Parameter& embedding) {
  return s.tied ? embedding : parameters.add({{s.names.lm_head + ".weight", 0, {s.vocab, s.hidden}}});
}

Parameter* projection_bias(const DecoderSpec& s, ParameterSet& parameters) {
  return s.head_bias ? &parameters.add({{s.names.lm_head + ".bias", 0, {s.vocab}}}) : nullptr;
}

// The buffers of one pass, made once for the largest chunk.
struct ChunkBuffers {
  at::Tensor gathered, normed, logits;
  Norm::Stats stats;

  ChunkBuffers(std::int64_t rows, std::int64_t hidden, std::int64_t vocab, at::TensorOptions options)
      : gathered(at::empty({rows, hidden}, options)),
        normed(at::empty({rows, hidden}, options)),
        logits(at::empty({rows, vocab}, options)),
        stats(Norm::make_stats(rows, options)) {}

  ChunkBuffers first(std::int64_t n) const {
    ChunkBuffers part = *this;
    for (at::Tensor* t : {&part.gathered, &part.normed, &part.logits, &part.stats.mean, &part.stats.rstd})
      *t = t->narrow(0, 0, n);
    return part;
  }
};

}  // namespace

Head::Head(const DecoderSpec& s, ParameterSet& parameters, Parameter& embedding)
    : norm_(add_norm(parameters, s.norm, 0, s.names.final_norm, {s.hidden})),
      projection_(projection_weight(s, parameters, embedding), projection_bias(s, parameters), s.logits_scale),
      softcap_(s.logits_softcap),
      vocab_(s.vocab) {}

void Head::project(const at::Tensor& normed, at::Tensor logits) const {
  projection_.forward(normed, logits);
  if (softcap_ > 0) logits.div_(softcap_).tanh_().mul_(softcap_);
}

ops::CrossEntropySums Head::cross_entropy(at::Tensor logits, const at::Tensor& targets, const at::Tensor& weights,
                                          double z_weight) const {
  if (softcap_ <= 0) return ops::cross_entropy(logits, targets, weights, z_weight);
  const at::Tensor slope = 1 - (logits / softcap_).square_();
  const ops::CrossEntropySums sums = ops::cross_entropy(logits, targets, weights, z_weight);
  logits.mul_(slope);
  return sums;
}

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
    norm_.forward(b.gathered, b.normed, b.stats);
    project(b.normed, b.logits);
    const auto part =
        cross_entropy(b.logits, batch.targets.narrow(0, begin, n), batch.weights.narrow(0, begin, n), z_weight);
    sums.loss += part.loss;
    sums.z += part.z;
    projection_.backward_weight(b.normed, b.logits);
    projection_.backward_input(b.logits, dnormed.narrow(0, 0, n));
    const at::Tensor dx = dgathered.narrow(0, 0, n).zero_();
    norm_.backward(b.gathered, b.stats, dnormed.narrow(0, 0, n), dx);
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
    norm_.forward(b.gathered, b.normed, b.stats);
    project(b.normed, b.logits);
    ops::log_prob(b.logits, batch.targets.narrow(0, begin, n), result.narrow(0, begin, n));
  }
  return result;
}

std::int64_t Head::working_bytes(std::int64_t targets, std::int64_t hidden) const {
  const std::int64_t logits = softcap_ > 0 ? 3 * vocab_ : vocab_;  // with the slope of the cap, made in two steps
  return std::min(chunk, targets) * (logits + 4 * hidden) * static_cast<std::int64_t>(sizeof(float));
}

at::Tensor Head::logits(const at::Tensor& x) const {
  const ChunkBuffers b(x.size(0), x.size(1), vocab_, x.options());
  norm_.forward(x, b.normed, b.stats);
  project(b.normed, b.logits);
  return b.logits;
}

}  // namespace ilt
