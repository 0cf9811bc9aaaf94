// A rule for each option: some decide what the run is, most may change.
#include "train/resume.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "checkpoint/manifest.h"
#include "checkpoint/store.h"
#include "config/options.h"

namespace ilt {
namespace {

// What may not change in a run, and why; a new order of samples may be forced.
struct Fixed {
  std::string_view name, decides;
  bool may_be_forced;
};
constexpr std::string_view samples = "the order of its samples";
constexpr std::array<Fixed, 9> fixed = {{{"effective_batch_size", samples, true},
                                         {"shuffle", samples, true},
                                         {"seed", samples, true},
                                         {"data_weights", samples, true},
                                         {"optimizer", "what the optimizer keeps", false},
                                         {"resize_vocab", "the shapes of its weights", false},
                                         {"resize_vocab_multiple", "the shapes of its weights", false},
                                         {"freeze", "which tensors the optimizer keeps something of", false},
                                         {"freeze_router", "which tensors the optimizer keeps something of", false}}};
// Where things lie and how often something is written makes no difference to the run.
constexpr std::array<std::string_view, 17> free_to_change = {"data_path",
                                                             "validation_data_path",
                                                             "ckpt_output_dir",
                                                             "resume",
                                                             "resume_force",
                                                             "save_samples",
                                                             "checkpoint_at_epoch",
                                                             "save_every_steps",
                                                             "save_every_minutes",
                                                             "full_state_at_epoch",
                                                             "keep_last",
                                                             "keep_every",
                                                             "keep_models",
                                                             "save_best",
                                                             "background_save",
                                                             "on_save_error",
                                                             "keep_last_checkpoint_only"};

bool is_free_to_change(std::string_view name) {
  return std::find(free_to_change.begin(), free_to_change.end(), name) != free_to_change.end();
}

[[noreturn]] void refuse(const std::string& got, const std::string& why) {
  throw Error(Status::config, fmt::format("option 'resume': got \"{}\", but {}", got, why),
              {{"key", "resume"}, {"got", got}});
}

std::string names(const std::vector<StoredCheckpoint>& states) {
  std::string text;
  for (const StoredCheckpoint& state : states) text += (text.empty() ? "" : ", ") + state.path.filename().string();
  return text;
}

double number_or(const Json& value, double instead_of_null) {
  return value.is_null() ? instead_of_null : value.get<double>();
}

// An option that decides the order of samples may not change, others may.
void check_options(const Json& then, const Config& config) {
  const Json now = config_to_json(config);
  for (const auto& [name, value] : now.items()) {
    if (!then.contains(name) || then[name] == value || is_free_to_change(name)) continue;
    const auto* const rule = std::find_if(fixed.begin(), fixed.end(), [&](const Fixed& f) { return f.name == name; });
    if (rule != fixed.end() && !(rule->may_be_forced && config.resume_force)) {
      throw Error(Status::config,
                  fmt::format("option '{}': got {}, but the run to go on with has {}, which decides {}; give that, or "
                              "begin another run in another ckpt_output_dir{}",
                              name, to_line(value), to_line(then[name]), rule->decides,
                              rule->may_be_forced ? " (or set resume_force)" : ""),
                  {{"key", name}, {"got", value}, {"expected", then[name]}});
    }
    log::warn("train", "the option {} was {} and is now {}", name, to_line(then[name]), to_line(value));
  }
}

void check_data(const std::string& then, const std::string& now, bool force) {
  if (then == now) return;
  if (force) {
    log::warn("train", "the data are not those that the run had (fingerprint {}, now {})", then, now);
    return;
  }
  throw Error(Status::data,
              fmt::format("the data are not those of the run to go on with (fingerprint {}, expected {}): another "
                          "tokenizer, template (or date that it prints), length limit or file; begin another run in "
                          "another ckpt_output_dir (or set resume_force)",
                          now, then),
              {{"got", now}, {"expected", then}});
}

}  // namespace

std::optional<fs::path> find_state(const Config& config) {
  const bool has_folder = !config.ckpt_output_dir.empty();
  const auto store = CheckpointStore::of_states(config.ckpt_output_dir);
  auto states = has_folder ? store.list() : std::vector<StoredCheckpoint>();
  if (config.resume == "never") {
    if (states.empty()) return {};
    refuse("never", fmt::format("{} holds states of an earlier run ({}): give another ckpt_output_dir, or go on with "
                                "\"auto\"",
                                config.ckpt_output_dir, names(states)));
  }
  if (config.resume == "auto") {
    const auto newest = has_folder ? newest_valid_state(store) : std::optional<StoredCheckpoint>();
    if (newest) return newest->path;
    if (!states.empty()) log::warn("train", "no state under {} is whole: the run begins anew", config.ckpt_output_dir);
    return {};
  }
  const fs::path path = config.resume;
  const auto step = verify_folder(path).info.value("step", std::int64_t{0});
  refuse_later_states(config, config.resume, step);
  return path;
}

void refuse_later_states(const Config& config, const std::string& path, std::int64_t step) {
  if (config.ckpt_output_dir.empty()) return;
  auto states = CheckpointStore::of_states(config.ckpt_output_dir).list();
  std::erase_if(states, [&](const StoredCheckpoint& state) { return state.number <= step; });
  if (states.empty()) return;
  throw Error(Status::config,
              fmt::format("cannot go on from {}, as {} holds later states ({}): remove them, or give another "
                          "ckpt_output_dir",
                          path, config.ckpt_output_dir, names(states)),
              {{"key", "ckpt_output_dir"}, {"got", config.ckpt_output_dir}});
}

Json describe_run(const Config& config, const Progress& progress, const DataFingerprints& data,
                  const std::string& template_date, std::int64_t optimizer_steps) {
  const StepMetrics& metrics = progress.metrics;
  Json state = {{"step", metrics.step},
                {"epoch", metrics.epoch},
                {"samples_seen", metrics.samples_seen},
                {"tokens_seen", metrics.tokens_seen},
                {"skipped_steps", metrics.skipped_steps},
                {"skipped_in_a_row", progress.skipped_in_a_row},
                {"optimizer_steps", optimizer_steps},
                {"data", data.training},
                {"validation_data", data.validation},
                {"model_path", full_path(config.model_path).string()},
                {"template_date", template_date},
                {"config", config_to_json(config)}};
  if (progress.host_lr >= 0) state["host_lr"] = progress.host_lr;
  if (const ValidationHistory& history = progress.validation; history.last_step > 0) {
    state["validation"] = {{"loss", finite_or_null(metrics.val_loss)},
                           {"tokens", metrics.val_num_tokens},
                           {"step", history.last_step},
                           {"best_loss", finite_or_null(history.best_loss)},
                           {"best_step", history.best_step},
                           {"best_samples", history.best_samples},
                           {"misses", history.misses}};
  }
  return state;
}

Progress check_run(const Json& state, const Config& config, const DataFingerprints& data) try {
  check_options(state.at("config"), config);
  check_data(state.at("data").get<std::string>(), data.training, config.resume_force);
  Progress progress;
  StepMetrics& metrics = progress.metrics;
  metrics.step = state.at("step").get<std::int64_t>();
  metrics.epoch = state.at("epoch").get<std::int64_t>();
  metrics.samples_seen = state.at("samples_seen").get<std::int64_t>();
  metrics.tokens_seen = state.at("tokens_seen").get<std::int64_t>();
  metrics.skipped_steps = state.at("skipped_steps").get<std::int64_t>();
  progress.skipped_in_a_row = state.at("skipped_in_a_row").get<std::int64_t>();
  progress.host_lr = state.value("host_lr", progress.host_lr);
  if (!state.contains("validation")) return progress;
  if (state.at("validation_data") != data.validation) {
    log::warn("train", "the validation data are not those that the run had: the search for the best loss begins anew");
    return progress;
  }
  const Json& validation = state["validation"];
  metrics.val_loss = number_or(validation.at("loss"), std::numeric_limits<double>::quiet_NaN());
  metrics.val_num_tokens = validation.at("tokens").get<std::int64_t>();
  progress.validation = {.best_loss = number_or(validation.at("best_loss"), std::numeric_limits<double>::infinity()),
                         .best_step = validation.at("best_step").get<std::int64_t>(),
                         .best_samples = validation.at("best_samples").get<std::int64_t>(),
                         .last_step = validation.at("step").get<std::int64_t>(),
                         .misses = validation.at("misses").get<std::int64_t>()};
  return progress;
} catch (const Json::exception& error) {
  throw Error(Status::format, fmt::format("the state to go on from is no state of this libilt: {}", error.what()));
}

}  // namespace ilt
