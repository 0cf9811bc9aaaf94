// A norm of heads: the packed columns are copied out, normalised in groups, and copied back.
#include "model/parts/head_norm.h"

#include "model/parts/weights.h"

namespace ilt {

namespace {

Norm add_head_norm(const DecoderSpec& s, std::int64_t layer, const std::string& name, std::int64_t heads,
                   ParameterSet& parameters) {
  if (s.head_norm == HeadNormKind::shared) return add_norm(parameters, s.head_norm_spec, layer, name, {s.head_dim});
  if (s.head_norm == HeadNormKind::whole)
    return add_norm(parameters, s.head_norm_spec, layer, name, {heads * s.head_dim});
  Norm norm = add_norm(parameters, s.head_norm_spec, layer, name, {heads, s.head_dim});
  norm.set_weight_shape({heads, s.head_dim});
  return norm;
}

}  // namespace

HeadNorm::HeadNorm(const DecoderSpec& s, std::int64_t layer, const std::string& name, std::int64_t heads,
                   ParameterSet& parameters)
    : kind_(s.head_norm),
      heads_(heads),
      head_dim_(s.head_dim),
      norm_(add_head_norm(s, layer, name, heads, parameters)) {}

at::Tensor HeadNorm::grouped(const at::Tensor& x) const {
  switch (kind_) {
    case HeadNormKind::shared:
      return x.view({-1, head_dim_});
    case HeadNormKind::per_head:
      return x.view({-1, heads_, head_dim_});
    default:
      return x;
  }
}

HeadNorm::Scratch HeadNorm::fitted(const Scratch& scratch, std::int64_t tokens) const {
  const auto dense = [&](const at::Tensor& t) {
    return t.view({-1}).narrow(0, 0, tokens * width()).view({tokens, width()});
  };
  const std::int64_t norms = tokens * norms_per_token();
  const auto stat = [&](const at::Tensor& t) {
    const at::Tensor flat = t.view({-1}).narrow(0, 0, norms);
    return kind_ == HeadNormKind::per_head ? flat.view({tokens, heads_}) : flat;
  };
  return {dense(scratch.first), dense(scratch.second), {stat(scratch.stats.mean), stat(scratch.stats.rstd)}};
}

void HeadNorm::forward(at::Tensor heads, at::Tensor raw, const Scratch& scratch) const {
  const Scratch s = fitted(scratch, heads.size(0));
  raw.copy_(heads);
  norm_.forward(grouped(raw), grouped(s.first), s.stats);
  heads.copy_(s.first);
}

void HeadNorm::backward(const at::Tensor& raw, at::Tensor dheads, const Scratch& scratch) const {
  const Scratch s = fitted(scratch, dheads.size(0));
  norm_.forward(grouped(raw), grouped(s.first), s.stats);
  s.first.copy_(dheads);
  s.second.zero_();
  norm_.backward(grouped(raw), s.stats, grouped(s.first), grouped(s.second));
  dheads.copy_(s.second);
}

}  // namespace ilt
