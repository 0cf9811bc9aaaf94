// Adding up the tensors of a run that has none.
#include "train/memory_estimate.h"

#include "config/options.h"
#include "model/load.h"
#include "train/setup.h"

namespace ilt {
namespace {

std::int64_t bytes_of(const at::Tensor& tensor) {
  return tensor.defined() ? static_cast<std::int64_t>(tensor.nbytes()) : 0;
}

}  // namespace

MemoryEstimate estimate_memory(const Config& config) {
  validate_data_config(config);
  require_batch_len(config);
  const auto decoder = describe_decoder(open_configured_model(config));
  freeze(config, *decoder);
  decoder->prepare_training(config.max_batch_len);
  MemoryEstimate estimate{.activations = decoder->activation_bytes(),
                          .loss = decoder->head_bytes(config.max_batch_len),
                          .tokens = config.max_batch_len};
  for (const Parameter& p : decoder->parameters().all()) {
    estimate.weights += bytes_of(p.value);
    estimate.gradients += bytes_of(p.grad);
  }
  for (const NamedTensor& t : make_run_optimizer(config, *decoder).state()) estimate.optimizer += bytes_of(t.value);
  return estimate;
}

}  // namespace ilt
