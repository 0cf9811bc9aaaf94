// Everything a run needs, made from its configuration: model, data, optimizer, schedule.
#pragma once

#include <memory>
#include <optional>

#include "config/config.h"
#include "model/decoder.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"
#include "train/data.h"
#include "train/sampler.h"
#include "weights/model_source.h"

namespace ilt {

// The model with what it came from (and whose tokenizer files an export copies).
struct LoadedModel {
  ModelSource source;
  std::unique_ptr<Decoder> decoder;
};

// The model as the configuration wants it trained: with a larger vocabulary where it asks for one.
ModelSource open_configured_model(const Config& config);

// Leaves out of training what the configuration says.
void freeze(const Config& config, Decoder& decoder);

LoadedModel load_model(const Config& config);

// What a run trains on, and in which order.
struct TrainingSource {
  RunData data;
  Sampler sampler;
};

// What training adds to a model.
struct TrainingState {
  std::optional<TrainingSource> source;  // none where a host brings batches of its own
  Optimizer optimizer;
  Schedule schedule;          // total_steps is the run's length; 0: it has no end
  double balance_loss = 0.0;  // weight of the mean of LoadBalance::loss over a step's tokens
};

// Throws config where options need validation data and there are none.
void require_validation(const Config& config, const Corpus& validation);

// Allocates gradients, moments and activations.
std::unique_ptr<TrainingState> prepare_training(const Config& config, Decoder& decoder, RunData data);
// The same for a host's own loop, whose batches decide about activations. Throws config.
std::unique_ptr<TrainingState> prepare_host_loop(const Config& config, Decoder& decoder);
// The optimizer of the configuration for the decoder's trained tensors, whose gradients are allocated.
Optimizer make_run_optimizer(const Config& config, const Decoder& decoder);

// The number of optimizer steps that the configuration asks for.
std::int64_t total_steps(const Config& config, const Sampler& sampler, const Corpus& data);

}  // namespace ilt
