// Making the parts of a run from its configuration, with the checks that need the files.
#include "train/setup.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <latch>
#include <limits>
#include <span>
#include <system_error>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "config/options.h"
#include "device/device.h"
#include "model/families/family.h"
#include "model/load.h"
#include "model/vocabulary.h"
#include "ops/cpu/instruction_set.h"
#include "optim/make_optimizer.h"
#include "text/tokenizer.h"
#include "train/batches.h"

namespace ilt {

namespace {

// OpenMP ends the process where it cannot start its threads; whoever tries before can still say why.
void require_threads(int count) {
  std::latch all(1);
  std::vector<std::thread> threads;
  std::error_code failed;
  try {
    while (static_cast<int>(threads.size()) + 1 < count) threads.emplace_back([&all] { all.wait(); });
  } catch (const std::system_error& error) {
    failed = error.code();
  }
  all.count_down();
  for (std::thread& thread : threads) thread.join();
  if (!failed) return;
  throw Error(Status::io,
              fmt::format("cannot start {} threads, only {}: {}; lower num_threads, or raise the limit of processes "
                          "(ulimit -u)",
                          count, threads.size() + 1, failed.message()),
              {{"key", "num_threads"}, {"got", count}, {"errno", failed.value()}});
}

// What runs there: libilt's own kernels are for processors.
std::string operations_of(const at::Device& device) {
  return device.is_cpu() ? fmt::format("with {} kernels", ops::cpu::instruction_set()) : "with libtorch's operations";
}

std::int64_t tokens_of_step(const Sampler& sampler, const Corpus& data, std::int64_t step) {
  std::int64_t tokens = 0;
  for (const std::int64_t s : sampler.step_samples(step)) tokens += data.length(s);
  return tokens;
}

// The steps up to the one that reaches so many tokens, `most` at most: a schedule must know its end.
std::int64_t steps_to_tokens(const Sampler& sampler, const Corpus& data, std::int64_t tokens, std::int64_t most) {
  std::int64_t step = 0;
  if (sampler.epochs_are_alike()) {  // the whole epochs before the last one need not be walked through
    std::int64_t epoch = 0;
    for (std::int64_t s = 0; s < sampler.steps_per_epoch(); ++s) epoch += tokens_of_step(sampler, data, s);
    const std::int64_t whole = std::min((tokens - 1) / epoch, most / sampler.steps_per_epoch());
    step = whole * sampler.steps_per_epoch();
    tokens -= whole * epoch;
  }
  for (; tokens > 0 && step < most; ++step) tokens -= tokens_of_step(sampler, data, step);
  return step;
}

OptimizerOptions optimizer_options(const Config& config) {
  return {.kind = config.optimizer,
          .beta1 = config.beta1,
          .beta2 = config.beta2,
          .eps = config.optimizer_eps,
          .momentum = config.momentum,
          .nesterov = config.nesterov,
          .beta2_decay = config.beta2_decay,
          .muon_adjust = config.muon_adjust_lr};
}

Schedule make_schedule(const Config& config, std::int64_t steps) {
  return {parse_schedule(config.lr_scheduler),
          config.learning_rate,
          config.warmup_steps,
          steps,
          config.lr_cycles,
          config.lr_end,
          config.lr_power,
          config.lr_decay_steps};
}

void report_training(const Config& config, const ParameterSet& parameters, std::span<const TrainedTensor> tensors) {
  const auto count = [&](auto holds) { return std::count_if(tensors.begin(), tensors.end(), holds); };
  log::info("train",
            "{} trains {} tensors with {} values; frozen: {} tensors with {} values; without weight decay: {}; with a "
            "scaled learning rate: {}",
            config.optimizer, tensors.size(), parameters.trained_count(),
            parameters.stored_count() - static_cast<std::int64_t>(tensors.size()),
            parameters.count() - parameters.trained_count(),
            count([](const TrainedTensor& t) { return t.weight_decay == 0; }),
            count([](const TrainedTensor& t) { return t.lr_factor != 1; }));
}

}  // namespace

ModelSource open_configured_model(const Config& config) {
  ModelSource source = open_model(config.model_path);
  if (!config.resize_vocab) return source;
  const std::int64_t now = read_spec(source.config()).vocab;
  const std::int64_t tokens = Tokenizer::load(source.files()).vocab_size();
  const std::int64_t rows = rows_for(now, tokens, config.resize_vocab_multiple);
  if (rows == now) return source;
  log::info("train", "the vocabulary grows from {} to {} rows, for {} tokens; new rows begin as the mean of the others",
            now, rows, tokens);
  return grow_vocabulary(source, rows);
}

namespace {

[[noreturn]] void refuse_for(const DecoderSpec& spec, const char* key, const Json& got, const char* expected) {
  throw Error(Status::config,
              fmt::format("option '{}': got {}, but {} has no experts{}; expected {}", key, to_line(got),
                          spec.architecture, spec.experts ? " whose load a loss balances" : "", expected),
              {{"key", key}, {"got", got}, {"expected", expected}});
}

// The weight of the loss that balances the experts' load. DeepSeek-V3's routers have a correction instead.
double balance_loss(const Config& config, const DecoderSpec& spec) {
  const bool balanced = spec.experts && spec.experts->score == RouterScore::softmax;
  if (config.router_aux_loss_coef.value_or(0) > 0 && !balanced)
    refuse_for(spec, "router_aux_loss_coef", *config.router_aux_loss_coef, "0");
  return balanced ? config.router_aux_loss_coef.value_or(spec.experts->balance_loss) : 0.0;
}

// The patterns of the tensors that stay as they are.
std::vector<std::string> frozen(const Config& config, const DecoderSpec& spec) {
  std::vector<std::string> patterns = config.freeze;
  if (!config.freeze_router) return patterns;
  if (!spec.experts) refuse_for(spec, "freeze_router", true, "false");
  patterns.push_back(spec.prefix + fmt::format(fmt::runtime(spec.names.router), "*") + ".*");
  return patterns;
}

}  // namespace

void freeze(const Config& config, Decoder& decoder) {
  freeze_tensors(decoder.parameters(), frozen(config, decoder.spec()));
}

LoadedModel load_model(const Config& config) {
  if (config.num_threads > 0) at::set_num_threads(static_cast<int>(config.num_threads));
  require_threads(at::get_num_threads());
  const at::Device device = resolve_device(config.device);
  ModelSource source = open_configured_model(config);
  std::unique_ptr<Decoder> decoder = load_decoder(source, device);
  log::info("train", "{}: {}, {} layers, {} parameters in fp32 on {}, {}", config.model_path,
            decoder->spec().architecture, decoder->spec().layers, decoder->parameters().count(), device.str(),
            operations_of(device));
  freeze(config, *decoder);
  return {std::move(source), std::move(decoder)};
}

std::int64_t total_steps(const Config& config, const Sampler& sampler, const Corpus& data) {
  if (config.max_tokens > 0) {
    constexpr std::int64_t too_many = 100'000'000;
    const std::int64_t most = config.max_steps > 0 ? config.max_steps : too_many;
    const std::int64_t steps = steps_to_tokens(sampler, data, config.max_tokens, most);
    if (config.max_steps > 0 || steps < too_many) return steps;
    throw Error(Status::config,
                fmt::format("option 'max_tokens': got {}, which is {} steps or more; expected fewer tokens, or a "
                            "max_steps",
                            config.max_tokens, too_many),
                {{"key", "max_tokens"}, {"got", config.max_tokens}});
  }
  if (config.max_steps > 0) return config.max_steps;
  std::int64_t steps = 0;
  if (__builtin_mul_overflow(config.num_epochs, sampler.steps_per_epoch(), &steps)) {
    const auto most = std::numeric_limits<std::int64_t>::max() / sampler.steps_per_epoch();
    throw Error(Status::config,
                fmt::format("option 'num_epochs': got {}, expected at most {}, as an epoch has {} steps",
                            config.num_epochs, most, sampler.steps_per_epoch()),
                {{"key", "num_epochs"}, {"got", config.num_epochs}, {"expected", most}});
  }
  return steps;
}

void require_validation(const Config& config, const Corpus& validation) {
  if (validation.size() > 0) return;
  const auto needs = [](std::string_view key, const Json& got) {
    throw Error(Status::config, fmt::format("option '{}': got {}, but there are no validation data", key, to_line(got)),
                {{"key", key}, {"got", got}});
  };
  if (config.early_stopping_patience > 0) needs("early_stopping_patience", config.early_stopping_patience);
  if (config.save_best) needs("save_best", true);
  if (config.validation_frequency > 0) needs("validation_frequency", config.validation_frequency);
}

std::unique_ptr<TrainingState> prepare_training(const Config& config, Decoder& decoder, RunData data) {
  const Sampler sampler(data.training.parts(), config.effective_batch_size, config.shuffle, config.seed);
  const std::int64_t steps = total_steps(config, sampler, data.training);
  if (config.warmup_steps >= steps)
    log::warn("train", "warmup_steps is {} but the run has {} steps: the full learning rate is never reached",
              config.warmup_steps, steps);
  // Only a sample that is longer than the budget makes a micro-batch that is.
  const std::int64_t largest = largest_batch(data.training, config.effective_batch_size, config.max_batch_len);
  if (largest > config.max_batch_len)
    log::warn("train",
              "the longest sample has {} tokens, more than max_batch_len ({}): such samples have micro-batches of "
              "their own, and memory is taken for them",
              largest, config.max_batch_len);
  decoder.prepare_training(largest);
  auto state = std::make_unique<TrainingState>(
      TrainingState{TrainingSource{std::move(data), sampler}, make_run_optimizer(config, decoder),
                    make_schedule(config, steps), balance_loss(config, decoder.spec())});
  report_training(config, decoder.parameters(), state->optimizer.tensors());
  return state;
}

std::unique_ptr<TrainingState> prepare_host_loop(const Config& config, Decoder& decoder) {
  validate_host_loop_config(config);
  decoder.parameters().allocate_gradients();
  auto state = std::make_unique<TrainingState>(TrainingState{std::nullopt, make_run_optimizer(config, decoder),
                                                             make_schedule(config, config.max_steps),
                                                             balance_loss(config, decoder.spec())});
  report_training(config, decoder.parameters(), state->optimizer.tensors());
  return state;
}

Optimizer make_run_optimizer(const Config& config, const Decoder& decoder) {
  return make_optimizer(
      optimizer_options(config),
      trained_tensors(decoder, {config.weight_decay, config.decay_norms_and_biases, config.lr_scale}));
}

}  // namespace ilt
