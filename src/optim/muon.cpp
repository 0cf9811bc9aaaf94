// Muon: momentum, orthogonalised, times a rate that fits the shape.
#include "optim/muon.h"

#include <ATen/ops/empty_like.h>
#include <ATen/ops/lerp.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "ops/newton_schulz.h"
#include "optim/pieces.h"

namespace ilt {
namespace {

double shape_factor(MuonAdjust adjust, double rows, double columns) {
  switch (adjust) {
    case MuonAdjust::original:
      return std::sqrt(std::max(1.0, rows / columns));
    case MuonAdjust::match_rms_adamw:
      return 0.2 * std::sqrt(std::max(rows, columns));
    case MuonAdjust::spectral_unclamped:
      return std::sqrt(rows / columns);
  }
  fail(Status::internal, "no such adjustment of Muon's rate: {}", static_cast<int>(adjust));
}

}  // namespace

MuonAdjust parse_muon_adjust(std::string_view name) {
  if (name == "original") return MuonAdjust::original;
  if (name == "match_rms_adamw") return MuonAdjust::match_rms_adamw;
  if (name == "spectral_unclamped") return MuonAdjust::spectral_unclamped;
  throw Error(
      Status::config,
      fmt::format("option 'muon_adjust_lr': got '{}', expected original, match_rms_adamw or spectral_unclamped", name),
      {{"key", "muon_adjust_lr"}, {"got", name}});
}

Muon::Muon(const TrainedTensor& tensor, const MuonOptions& options)
    : tensor_(tensor), options_(options), momentum_(at::zeros_like(tensor.value)) {}

void Muon::update(const UpdateStep& s) {
  const at::Tensor ahead = at::empty_like(tensor_.value);
  over_pieces(tensor_.value, [&](const Piece& piece) {
    const at::Tensor g = piece.of(tensor_.grad) * s.grad_scale;
    const at::Tensor momentum = piece.of(momentum_).lerp_(g, 1.0 - options_.momentum);
    piece.of(ahead).copy_(options_.nesterov ? at::lerp(g, momentum, options_.momentum) : momentum);
  });
  const at::Tensor direction = ops::newton_schulz(ahead);
  const double factor = shape_factor(options_.adjust, static_cast<double>(tensor_.value.size(0)),
                                     static_cast<double>(tensor_.value.size(1)));
  tensor_.value.mul_(1.0 - s.lr * tensor_.weight_decay).sub_(direction, s.lr * factor);
}

std::vector<NamedTensor> Muon::state() const {
  return {{"momentum_buffer", momentum_}};
}

}  // namespace ilt
