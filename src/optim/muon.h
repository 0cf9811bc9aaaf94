// Muon (Jordan et al., kellerjordan.github.io/posts/muon) as torch.optim.Muon computes it: steps of a hidden matrix are
// orthogonalised momentum.
#pragma once

#include <string_view>

#include "optim/trained_tensor.h"
#include "optim/update_rule.h"

namespace ilt {

// How the step's size goes with the matrix's shape, by torch's names for it.
enum class MuonAdjust {
  original,            // sqrt(max(1, rows / columns)), Jordan's
  match_rms_adamw,     // 0.2 sqrt(max(rows, columns)), AdamW's usual size (Liu et al., arXiv 2502.16982)
  spectral_unclamped,  // sqrt(rows / columns), Bernstein's
};

// Throws config with the names that are known.
MuonAdjust parse_muon_adjust(std::string_view name);

struct MuonOptions {
  double momentum = 0.95;
  bool nesterov = true;
  MuonAdjust adjust = MuonAdjust::match_rms_adamw;
};

class Muon : public UpdateRule {
 public:
  // `tensor` is a matrix.
  Muon(const TrainedTensor& tensor, const MuonOptions& options);

  void update(const UpdateStep& step) override;
  std::vector<NamedTensor> state() const override;

 private:
  TrainedTensor tensor_;
  MuonOptions options_;
  at::Tensor momentum_;
};

}  // namespace ilt
