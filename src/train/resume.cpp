// A rule for each option: some decide what the run is, most may change.
#include "train/resume.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "checkpoint/manifest.h"
#include "checkpoint/store.h"
#include "config/options.h"

namespace ilt {
namespace {

// A step's samples are a function of these.
constexpr std::array<std::string_view, 4> fixed = {"effective_batch_size", "shuffle", "seed", "data_weights"};
// Where things lie and how often something is written makes no difference to the run.
constexpr std::array<std::string_view, 9> free_to_change = {
    "data_path",           "validation_data_path", "ckpt_output_dir",     "resume",   "save_samples",
    "checkpoint_at_epoch", "save_every_steps",     "full_state_at_epoch", "keep_last"};

template <std::size_t n>
bool holds(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

[[noreturn]] void refuse(const std::string& got, const std::string& why) {
  throw Error(Status::config, fmt::format("option 'resume': got \"{}\", but {}", got, why),
              {{"key", "resume"}, {"got", got}});
}

std::string names(const std::vector<StoredState>& states) {
  std::string text;
  for (const StoredState& state : states) text += (text.empty() ? "" : ", ") + state.path.filename().string();
  return text;
}

}  // namespace

std::optional<fs::path> find_state(const Config& config) {
  const bool has_folder = !config.ckpt_output_dir.empty();
  const StateStore store(config.ckpt_output_dir, config.keep_last);
  auto states = has_folder ? store.list() : std::vector<StoredState>();
  if (config.resume == "never") {
    if (states.empty()) return {};
    refuse("never", fmt::format("{} holds states of an earlier run ({}): give another ckpt_output_dir, or go on with "
                                "\"auto\"",
                                config.ckpt_output_dir, names(states)));
  }
  if (config.resume == "auto") {
    const auto newest = has_folder ? store.newest_valid() : std::optional<StoredState>();
    if (newest) return newest->path;
    if (!states.empty()) log::warn("train", "no state under {} is whole: the run begins anew", config.ckpt_output_dir);
    return {};
  }
  const fs::path path = config.resume;
  const auto step = verify_folder(path).info.value("step", std::int64_t{0});
  std::erase_if(states, [&](const StoredState& state) { return state.step <= step; });
  if (!states.empty())
    refuse(config.resume, fmt::format("{} holds later states ({}): remove them, or give another ckpt_output_dir",
                                      config.ckpt_output_dir, names(states)));
  return path;
}

Json describe_run(const Config& config, const StepMetrics& metrics, const std::string& data_fingerprint,
                  const std::string& template_date, std::int64_t optimizer_steps) {
  Json state = {{"step", metrics.step},
                {"epoch", metrics.epoch},
                {"samples_seen", metrics.samples_seen},
                {"tokens_seen", metrics.tokens_seen},
                {"optimizer_steps", optimizer_steps},
                {"data", data_fingerprint},
                {"template_date", template_date},
                {"config", config_to_json(config)}};
  if (metrics.val_num_tokens > 0)
    state["validation"] = {{"loss", metrics.val_loss}, {"tokens", metrics.val_num_tokens}};
  return state;
}

StepMetrics check_run(const Json& state, const Config& config, const std::string& data_fingerprint) {
  const Json now = config_to_json(config);
  const Json& then = state.at("config");
  for (const auto& [name, value] : now.items()) {
    if (!then.contains(name) || then[name] == value || holds(free_to_change, name)) continue;
    if (holds(fixed, name)) {
      throw Error(Status::config,
                  fmt::format("option '{}': got {}, but the run to go on with has {}, which decides the order of its "
                              "samples; give that, or begin another run in another ckpt_output_dir",
                              name, to_line(value), to_line(then[name])),
                  {{"key", name}, {"got", value}, {"expected", then[name]}});
    }
    log::warn("train", "the option {} was {} and is now {}", name, to_line(then[name]), to_line(value));
  }
  if (const auto data = state.at("data").get<std::string>(); data != data_fingerprint) {
    throw Error(Status::data,
                fmt::format("the data are not those of the run to go on with (fingerprint {}, expected {}): another "
                            "tokenizer, template (or date that it prints), length limit or file; begin another run in "
                            "another ckpt_output_dir",
                            data_fingerprint, data),
                {{"got", data_fingerprint}, {"expected", data}});
  }
  StepMetrics metrics;
  metrics.step = state.at("step").get<std::int64_t>();
  metrics.epoch = state.at("epoch").get<std::int64_t>();
  metrics.samples_seen = state.at("samples_seen").get<std::int64_t>();
  metrics.tokens_seen = state.at("tokens_seen").get<std::int64_t>();
  if (state.contains("validation")) {
    metrics.val_loss = state["validation"].at("loss").get<double>();
    metrics.val_num_tokens = state["validation"].at("tokens").get<std::int64_t>();
  }
  return metrics;
}

}  // namespace ilt
