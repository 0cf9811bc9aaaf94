// What a configuration must hold as a whole: required options, and options that would contradict or do nothing.
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "config/options.h"

namespace ilt {
namespace {

[[noreturn]] void refuse(std::string_view key, const Json& got, const std::string& expected) {
  throw Error(Status::config, fmt::format("option '{}': got {}, expected {}", key, shortened(to_line(got)), expected),
              {{"key", key}, {"got", got}, {"expected", expected}});
}

// Every required option is one that its default leaves unset.
void require_set(const Option& option, const Config& config) {
  const Config unset;
  if (option_value(option, &config) != option_value(option, &unset)) return;
  const auto expected = expectation(option, &config);
  throw Error(Status::config, fmt::format("option '{}' is required: give {}", option.name, expected),
              {{"key", option.name}, {"expected", expected}});
}

void check_required(const Config& config, bool training) {
  for (const auto& option : config_options()) {
    if (option.required == Required::no || (option.required == Required::training && !training)) continue;
    if (option.name == "data_path") continue;  // it decides which of the checks is made; a host may give data otherwise
    require_set(option, config);
  }
}

void check_samples(const Config& config) {
  for (const auto& path : config.data_path)
    if (path.empty()) refuse("data_path", path, "the path of a file");
  if (config.max_seq_len > 0 && config.min_seq_len > config.max_seq_len)
    refuse("min_seq_len", config.min_seq_len, fmt::format("at most max_seq_len ({})", config.max_seq_len));
}

// A host may give validation data apart from the configuration.
bool validates(const Config& config) {
  return config.data_path.empty() || config.validation_split > 0 || !config.validation_data_path.empty();
}

constexpr const char* validation_needed = "0, or a validation_split or validation_data_path";

void check_validation(const Config& config) {
  if (config.validation_split > 0 && !config.validation_data_path.empty())
    refuse("validation_split", config.validation_split, "0, as validation_data_path is given");
  if (config.validation_frequency > 0 && !validates(config))
    refuse("validation_frequency", config.validation_frequency, validation_needed);
}

void check_length(const Config& config) {
  if (config.early_stopping_patience > 0 && !validates(config))
    refuse("early_stopping_patience", config.early_stopping_patience, validation_needed);
  if (config.early_stopping_threshold > 0 && config.early_stopping_patience == 0 && !config.save_best)
    refuse("early_stopping_threshold", config.early_stopping_threshold,
           "0, or an early_stopping_patience or save_best that it is for");
  if (config.max_skipped_steps != Config().max_skipped_steps && config.on_nonfinite != "skip")
    refuse("max_skipped_steps", config.max_skipped_steps, "its default with on_nonfinite error");
}

// Options that save something, or say how, where nothing is saved.
void check_checkpoints(const Config& config) {
  const Config unset;
  if (config.resume.empty()) refuse("resume", config.resume, "auto, never or a path");
  if (config.save_best && !validates(config))
    refuse("save_best", true, "false, or a validation_split or validation_data_path");
  if (config.keep_last_checkpoint_only && (config.keep_models > 0 || config.save_best))
    refuse("keep_last_checkpoint_only", true, "false with keep_models or save_best, which need more than one");
  if (config.keep_every > 0 && config.keep_last == 0)
    refuse("keep_every", config.keep_every, "0 with keep_last 0, which keeps all");
  if (config.resume_force && config.resume == "never") refuse("resume_force", true, "false with resume never");
  if (!config.ckpt_output_dir.empty()) return;
  for (const char* key :
       {"keep_last", "save_every_steps", "save_every_minutes", "keep_every", "save_samples", "keep_models",
        "keep_last_checkpoint_only", "save_best", "background_save", "on_save_error"}) {
    const Option& option = find_option(config_options(), key);
    if (option_value(option, &config) != option_value(option, &unset))
      refuse(key, option_value(option, &config),
             fmt::format("{}, or a ckpt_output_dir to save to", to_line(option_value(option, &unset))));
  }
}

// Options that the chosen schedule would not look at.
void check_schedule(const Config& config) {
  const Config unset;
  const std::string& kind = config.lr_scheduler;
  const auto only_for = [&](std::string_view key, bool is_set, const char* user) {
    if (is_set && kind != user)
      refuse(key, option_value(find_option(config_options(), key), &config),
             fmt::format("its default with lr_scheduler {}: it is for {}", kind, user));
  };
  only_for("lr_cycles", config.lr_cycles != unset.lr_cycles, "cosine_with_restarts");
  only_for("lr_end", config.lr_end != unset.lr_end, "polynomial");
  only_for("lr_power", config.lr_power != unset.lr_power, "polynomial");
  only_for("lr_decay_steps", config.lr_decay_steps != unset.lr_decay_steps, "warmup_stable_decay");
  if (kind == "warmup_stable_decay" && config.lr_decay_steps == 0)
    refuse("lr_decay_steps", 0, "the number of steps that warmup_stable_decay ends with");
  if (kind == "polynomial" && config.lr_end > config.learning_rate)
    refuse("lr_end", config.lr_end, fmt::format("at most learning_rate ({})", config.learning_rate));
  if (config.warmup_steps > 0 && kind == "constant")
    refuse("warmup_steps", config.warmup_steps,
           "0 with lr_scheduler constant, which has no warmup (use constant_with_warmup)");
}

// Options that the chosen optimizer would not look at.
void check_optimizer(const Config& config) {
  struct Use {
    std::string_view key;
    std::vector<std::string_view> optimizers;
  };
  static const std::vector<Use> uses = {{"beta1", {"adamw", "adamw_8bit", "lion", "muon"}},
                                        {"beta2", {"adamw", "adamw_8bit", "lion", "muon"}},
                                        {"optimizer_eps", {"adamw", "adamw_8bit", "muon"}},
                                        {"momentum", {"sgd", "muon"}},
                                        {"nesterov", {"sgd", "muon"}},
                                        {"beta2_decay", {"adafactor"}},
                                        {"muon_adjust_lr", {"muon"}}};
  const Config unset;
  for (const auto& [key, optimizers] : uses) {
    const Option& option = find_option(config_options(), key);
    const Json value = option_value(option, &config);
    const bool used = std::find(optimizers.begin(), optimizers.end(), config.optimizer) != optimizers.end();
    if (!used && value != option_value(option, &unset))
      refuse(key, value,
             fmt::format("its default with the optimizer {}: it is for {}", config.optimizer,
                         fmt::join(optimizers, ", ")));
  }
  if (config.optimizer == "sgd" && config.nesterov.value_or(false) && config.momentum.value_or(0.0) == 0.0)
    refuse("nesterov", true, "false, or a momentum to look ahead along");
  if (!config.decay_norms_and_biases && config.weight_decay == 0)
    refuse("decay_norms_and_biases", false, "true, or a weight_decay to leave them out of");
}

void check_training(const Config& config) {
  check_optimizer(config);
  check_schedule(config);
  if (!config.data_weights.empty() && config.data_weights.size() != config.data_path.size())
    refuse("data_weights", config.data_weights,
           fmt::format("one number for each of the {} paths of data_path", config.data_path.size()));
  if (config.block_size > config.max_batch_len || config.block_size == 1)
    refuse("block_size", config.block_size, fmt::format("0, or 2 to max_batch_len ({})", config.max_batch_len));
  check_validation(config);
  check_samples(config);
  check_length(config);
  check_checkpoints(config);
}

}  // namespace

void validate_config(const Config& config) {
  if (!config.data_path.empty()) return validate_training_config(config);
  check_required(config, false);
}

void validate_training_config(const Config& config) {
  check_required(config, true);
  check_training(config);
}

void validate_host_loop_config(const Config& config) {
  check_required(config, false);
  require_batch_len(config);
  require_set(find_option(config_options(), "learning_rate"), config);
  check_optimizer(config);
  check_schedule(config);
}

void require_batch_len(const Config& config) {
  require_set(find_option(config_options(), "max_batch_len"), config);
}

void validate_data_config(const Config& config) {
  check_required(config, false);
  check_samples(config);
}

}  // namespace ilt
