// Adafactor (Shazeer & Stern, arXiv 1804.04235) as torch.optim.Adafactor computes it: of a matrix's second moments only
// the means of rows and columns are kept.
#pragma once

#include "optim/trained_tensor.h"
#include "optim/update_rule.h"

namespace ilt {

struct AdafactorOptions {
  double beta2_decay = -0.8;
};

class Adafactor : public UpdateRule {
 public:
  Adafactor(const TrainedTensor& tensor, const AdafactorOptions& options);

  void update(const UpdateStep& step) override;
  std::vector<NamedTensor> state() const override;

 private:
  bool factored() const { return row_var_.defined(); }
  void update_moments(double grad_scale, double weight);
  // What the rate multiplies, of rows [begin, begin + count) of matrix k.
  at::Tensor direction(std::int64_t k, std::int64_t begin, std::int64_t count, double grad_scale) const;

  TrainedTensor tensor_;
  AdafactorOptions options_;
  at::Tensor value_, grad_;        // [matrices, rows, columns]; a vector is one column
  at::Tensor row_var_, col_var_;   // [..., rows, 1] and [..., 1, columns]
  at::Tensor variance_;            // of a vector
  std::vector<double> row_means_;  // of row_var_, one a matrix
};

}  // namespace ilt
