// What a configuration must hold as a whole: required options, and options that would contradict or do nothing.
#include <vector>

#include "base/error.h"
#include "config/options.h"

namespace ilt {
namespace {

[[noreturn]] void refuse(std::string_view key, const Json& got, const std::string& expected) {
  throw Error(Status::config, fmt::format("option '{}': got {}, expected {}", key, to_line(got), expected),
              {{"key", key}, {"got", got}, {"expected", expected}});
}

// Every required option is one that its default leaves unset.
void check_required(const Config& config, bool training) {
  const Config unset;
  for (const auto& option : config_options()) {
    if (option.required == Required::no || (option.required == Required::training && !training)) continue;
    if (option_value(option, &config) != option_value(option, &unset)) continue;
    const auto expected = expectation(option, &config);
    throw Error(Status::config, fmt::format("option '{}' is required: give {}", option.name, expected),
                {{"key", option.name}, {"expected", expected}});
  }
}

void check_training(const Config& config) {
  for (const auto& path : config.data_path)
    if (path.empty()) refuse("data_path", path, "the path of a file");
  if (config.max_batch_len < config.max_seq_len)
    refuse("max_batch_len", config.max_batch_len,
           fmt::format("at least max_seq_len ({}), so that every sample fits a micro-batch", config.max_seq_len));
  if (config.warmup_steps > 0 && config.lr_scheduler == "constant")
    refuse("warmup_steps", config.warmup_steps,
           "0 with lr_scheduler constant, which has no warmup (use constant_with_warmup)");
  if (config.max_steps > 0 && config.warmup_steps > config.max_steps)
    refuse("warmup_steps", config.warmup_steps, fmt::format("at most max_steps ({})", config.max_steps));
  if (config.save_samples > 0 && config.ckpt_output_dir.empty())
    refuse("save_samples", config.save_samples, "0, or a ckpt_output_dir to save to");
}

}  // namespace

void validate_config(const Config& config) {
  const bool training = !config.data_path.empty();
  check_required(config, training);
  if (training) check_training(config);
}

}  // namespace ilt
