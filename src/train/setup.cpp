// Making the parts of a run from its configuration, with the checks that need the files.
#include "train/setup.h"

#include <ATen/Parallel.h>

#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "data/load.h"
#include "device/device.h"
#include "model/load.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"
#include "train/batches.h"

namespace ilt {

namespace {

Overlong overlong_policy(const std::string& name) {
  if (name == "truncate") return Overlong::truncate;
  return name == "error" ? Overlong::error : Overlong::drop;
}

// The chat template, or none where the folder has none: data that needs one says so.
std::optional<ChatTemplate> find_template(const Config& config) {
  try {
    return ChatTemplate::load(config.model_path, config.chat_template_path);
  } catch (const Error& e) {
    if (e.status() != Status::not_found || !config.chat_template_path.empty()) throw;
    return std::nullopt;
  }
}

// A token beyond the embedding table would read foreign memory.
void require_known_ids(const Dataset& data, const Tokenizer& tokenizer, std::int64_t vocab) {
  for (std::int64_t i = 0; i < data.size(); ++i) {
    for (const std::int32_t id : data.at(i).ids) {
      if (id >= 0 && id < vocab) continue;
      std::string token;
      if (id >= 0 && id < tokenizer.vocab_size()) token = tokenizer.decode(std::span(&id, 1), /*skip_special=*/false);
      throw Error(Status::data,
                  fmt::format("sample {} holds the token '{}' (id {}), but the model's vocabulary has {} rows: use the "
                              "tokenizer that belongs to the model, or remove the added token",
                              i + 1, token, id, vocab),
                  {{"sample", i + 1}, {"id", id}, {"vocab", vocab}});
    }
  }
}

}  // namespace

LoadedModel load_model(const Config& config) {
  if (config.num_threads > 0) at::set_num_threads(static_cast<int>(config.num_threads));
  const at::Device device = resolve_device(config.device);
  ModelFolder folder(config.model_path);
  std::unique_ptr<Decoder> decoder = load_decoder(folder, device);
  log::info("train", "{}: {}, {} layers, {} parameters in fp32 on {}", config.model_path, decoder->spec().architecture,
            decoder->spec().layers, decoder->parameters().count(), device.str());
  return {std::move(folder), std::move(decoder)};
}

Dataset load_training_data(const Config& config, const Decoder& decoder) {
  const Tokenizer tokenizer = Tokenizer::load(config.model_path);
  const std::optional<ChatTemplate> chat = find_template(config);
  LoadOptions options;
  options.max_seq_len = config.max_seq_len;
  options.overlong = overlong_policy(config.overlong);
  options.max_bad_records = config.max_bad_records;
  Dataset data = load_dataset(config.data_path, tokenizer, chat ? &*chat : nullptr, options);
  const std::int64_t vocab = decoder.spec().vocab;
  if (tokenizer.vocab_size() > vocab)
    log::warn("train", "the tokenizer has {} tokens, the model {} rows: samples with a token beyond are refused",
              tokenizer.vocab_size(), vocab);
  require_known_ids(data, tokenizer, vocab);
  return data;
}

std::int64_t total_steps(const Config& config, const Sampler& sampler) {
  const std::int64_t by_epochs = config.num_epochs * sampler.steps_per_epoch();
  return config.max_steps > 0 ? config.max_steps : by_epochs;
}

std::unique_ptr<TrainingState> prepare_training(const Config& config, Decoder& decoder, Dataset data) {
  const Sampler sampler(data.size(), config.effective_batch_size, config.shuffle, config.seed);
  const std::int64_t steps = total_steps(config, sampler);
  if (config.warmup_steps >= steps)
    log::warn("train", "warmup_steps is {} but the run has {} steps: the full learning rate is never reached",
              config.warmup_steps, steps);
  decoder.prepare_training(largest_batch(data, config.effective_batch_size, config.max_batch_len));
  const Schedule schedule{parse_schedule(config.lr_scheduler), config.learning_rate, config.warmup_steps, steps};
  return std::make_unique<TrainingState>(
      TrainingState{std::move(data), sampler,
                    AdamW(decoder.parameters(),
                          {config.adamw_beta1, config.adamw_beta2, config.adamw_eps, config.adamw_weight_decay}),
                    schedule});
}

}  // namespace ilt
