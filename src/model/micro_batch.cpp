// Building a micro-batch: positions restart with each sample, labels are shifted within it.
#include "model/micro_batch.h"

#include <ATen/ops/from_blob.h>
#include <ATen/ops/tensor.h>

namespace ilt {

namespace {

template <typename T>
at::Tensor to_tensor(const std::vector<T>& values, at::ScalarType type, at::Device device) {
  return at::tensor(at::ArrayRef<T>(values), at::TensorOptions().dtype(type)).to(device);
}

}  // namespace

void MicroBatchBuilder::add(std::span<const std::int32_t> ids, std::span<const std::int32_t> labels,
                            std::span<const float> weights, std::uint64_t key) {
  const std::int64_t start = starts_.back();
  ids_.insert(ids_.end(), ids.begin(), ids.end());
  starts_.push_back(start + static_cast<std::int64_t>(ids.size()));
  keys_.push_back(key);
  for (std::size_t i = 1; i < labels.size(); ++i) {
    if (labels[i] < 0) continue;
    rows_.push_back(start + static_cast<std::int64_t>(i) - 1);
    targets_.push_back(labels[i]);
    weights_.push_back(weights.empty() ? 1.0F : weights[i]);
  }
}

MicroBatch MicroBatchBuilder::build(at::Device device) const {
  MicroBatch batch;
  batch.ids = to_tensor(ids_, at::kLong, device);
  batch.starts = starts_;
  batch.keys = keys_;
  batch.rows = to_tensor(rows_, at::kLong, device);
  batch.targets = to_tensor(targets_, at::kLong, device);
  batch.weights = to_tensor(weights_, at::kFloat, device);
  return batch;
}

}  // namespace ilt
