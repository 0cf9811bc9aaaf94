// AdamW with both moments in 8 bits (Dettmers et al., arXiv 2110.02861), as bitsandbytes' AdamW8bit.
#pragma once

#include "ops/quantize8.h"
#include "optim/adamw.h"
#include "optim/update_rule.h"

namespace ilt {

class AdamW8bit : public UpdateRule {
 public:
  // Tensors with fewer values keep their moments in fp32 (AdamW), as their state is small and its errors cost more.
  static constexpr std::int64_t fewest_values = 4096;

  AdamW8bit(const TrainedTensor& tensor, const AdamWOptions& options);

  void update(const UpdateStep& step) override;
  std::vector<NamedTensor> state() const override;

 private:
  struct Moment {
    ops::Code8 code;
    at::Tensor codes, scales;
  };
  static Moment make_moment(ops::Code8 code, const at::Tensor& value);

  TrainedTensor tensor_;
  AdamWOptions options_;
  Moment mean_, mean_square_;
};

}  // namespace ilt
