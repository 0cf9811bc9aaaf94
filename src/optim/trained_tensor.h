// What a run trains: the checkpoint's tensors, each with its learning rate's factor and its weight decay.
#pragma once

#include <string>
#include <vector>

#include "model/decoder.h"

namespace ilt {

// A checkpoint's tensor, which may be some rows of a fused parameter: q, k and v are matrices of their own.
struct TrainedTensor {
  std::string name;
  at::Tensor value, grad;  // contiguous views of the parameter's rows, in its own order
  double lr_factor = 1.0;
  double weight_decay = 0.0;
  bool hidden_matrix = false;  // a matrix, and neither embedding nor head
};

struct GroupRules {
  double weight_decay = 0.0;
  bool decay_norms_and_biases = true;
  std::vector<std::string> lr_scale;  // PATTERN=FACTOR; of several that match a tensor the last one counts
};

// Leaves the tensors that match one of the patterns out of training. Throws config where a pattern matches nothing, or
// nothing is left.
void freeze_tensors(ParameterSet& parameters, const std::vector<std::string>& patterns);

// The tensors that are not frozen, in their order. The gradients must be allocated. Throws config for an lr_scale that
// is malformed or matches nothing.
std::vector<TrainedTensor> trained_tensors(const Decoder& decoder, const GroupRules& rules);

}  // namespace ilt
