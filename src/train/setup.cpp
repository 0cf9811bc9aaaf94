// Making the parts of a run from its configuration, with the checks that need the files.
#include "train/setup.h"

#include <ATen/Parallel.h>

#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "device/device.h"
#include "model/load.h"
#include "train/batches.h"

namespace ilt {

LoadedModel load_model(const Config& config) {
  if (config.num_threads > 0) at::set_num_threads(static_cast<int>(config.num_threads));
  const at::Device device = resolve_device(config.device);
  ModelFolder folder(config.model_path);
  std::unique_ptr<Decoder> decoder = load_decoder(folder, device);
  log::info("train", "{}: {}, {} layers, {} parameters in fp32 on {}", config.model_path, decoder->spec().architecture,
            decoder->spec().layers, decoder->parameters().count(), device.str());
  return {std::move(folder), std::move(decoder)};
}

std::int64_t total_steps(const Config& config, const Sampler& sampler) {
  const std::int64_t by_epochs = config.num_epochs * sampler.steps_per_epoch();
  return config.max_steps > 0 ? config.max_steps : by_epochs;
}

std::unique_ptr<TrainingState> prepare_training(const Config& config, Decoder& decoder, RunData data) {
  const Sampler sampler(data.training.parts(), config.effective_batch_size, config.shuffle, config.seed);
  const std::int64_t steps = total_steps(config, sampler);
  if (config.warmup_steps >= steps)
    log::warn("train", "warmup_steps is {} but the run has {} steps: the full learning rate is never reached",
              config.warmup_steps, steps);
  if (const std::int64_t longest = largest_batch(data.training, 1, config.max_batch_len);
      longest > config.max_batch_len)
    log::warn("train",
              "the longest sample has {} tokens, more than max_batch_len ({}): such samples have micro-batches of "
              "their own, and memory is taken for them",
              longest, config.max_batch_len);
  decoder.prepare_training(largest_batch(data.training, config.effective_batch_size, config.max_batch_len));
  const Schedule schedule{parse_schedule(config.lr_scheduler),
                          config.learning_rate,
                          config.warmup_steps,
                          steps,
                          config.lr_cycles,
                          config.lr_end,
                          config.lr_power,
                          config.lr_decay_steps};
  return std::make_unique<TrainingState>(
      TrainingState{std::move(data), sampler,
                    AdamW(decoder.parameters(),
                          {config.adamw_beta1, config.adamw_beta2, config.adamw_eps, config.adamw_weight_decay}),
                    schedule});
}

}  // namespace ilt
