// A session: holds the parts, and hands each call to the one that does it.
#include "train/session.h"

#include <mutex>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/files.h"
#include "base/folder_lock.h"
#include "base/log.h"
#include "base/rng.h"
#include "checkpoint/full_state.h"
#include "config/options.h"
#include "model/load.h"
#include "observe/memory.h"
#include "train/batches.h"
#include "train/checkpoints.h"
#include "train/evaluate.h"
#include "train/resume.h"
#include "train/setup.h"
#include "train/snapshot.h"
#include "train/step.h"
#include "weights/export.h"

namespace ilt {

struct Session::Impl {
  explicit Impl(const Config& c) : config(c), model(load_model(c)) {
    if (config.data_path.empty()) return;
    const auto state = find_state(config);  // before the work of reading the data
    Config dated = config;
    if (state && dated.chat_template_date.empty())
      dated.chat_template_date = read_run_state(*state).value("template_date", "");
    begin_training(load_run_data(dated, model.decoder->spec().vocab), state);
  }

  void begin_training(RunData data, const std::optional<std::filesystem::path>& state) {
    require_validation(config, data.validation);
    const DataFingerprints found{data.training.fingerprint(),
                                 data.validation.size() > 0 ? data.validation.fingerprint() : ""};
    const Json run = state ? read_run_state(*state) : Json();
    Progress begun;
    if (state) begun = check_run(run, config, found);
    auto prepared = prepare_training(config, *model.decoder, std::move(data));
    begun.metrics.step_total = prepared->schedule.total_steps;
    begun.metrics.total_samples = prepared->data.training.size();
    begun.metrics.num_epoch_steps = prepared->sampler.steps_per_epoch();
    if (state) {
      load_full_state(*state, {model.decoder->parameters().stored_tensors(), prepared->optimizer.state(), {}});
      prepared->optimizer.set_steps_done(run.at("optimizer_steps").get<std::int64_t>());
      log::info("train", "going on from {}: {} of {} steps are done", state->string(), begun.metrics.step,
                begun.metrics.step_total);
    }
    training = std::move(prepared);
    fingerprints = found;
    const std::lock_guard lock(progress_mutex);
    progress = begun;
  }

  Config config;
  LoadedModel model;
  DataFingerprints fingerprints;
  std::unique_ptr<TrainingState> training;  // null where there is no data
  EventFn on_event;
  mutable std::mutex progress_mutex;  // for other threads, which read while this one trains
  Progress progress;
  SaveRequest save_request;

  Outcome step();
  void validate(const CancelToken& cancel);
  StepOptions step_options(std::int64_t step) const;
  Snapshot snapshot(SnapshotOf what) const;
  std::vector<ExportTensor> exports() const {
    return export_tensors(model.decoder->parameters().stored_tensors(), model.source, config.save_dtype);
  }
  void check_output() const;
  void require_ids(std::span<const std::int32_t> ids) const;
};

StepOptions Session::Impl::step_options(std::int64_t step) const {
  // The noise of a step is its own, whatever came before.
  const std::uint64_t seed = SplitMix64(config.seed ^ SplitMix64(static_cast<std::uint64_t>(step)).next()).next();
  return {.step = step + 1,
          .lr = learning_rate(training->schedule, step),
          .max_grad_norm = config.max_grad_norm,
          .balance_loss = training->balance_loss,
          .regularisation = {.z_loss = config.z_loss, .neftune_alpha = config.neftune_alpha, .seed = seed},
          .skip_nonfinite = config.on_nonfinite == "skip"};
}

Outcome Session::Impl::step() {
  if (!training) fail(Status::invalid_state, "this session has no training data: give data_path, or data sets");
  const std::int64_t step = progress.metrics.step;
  if (step >= training->schedule.total_steps) return Outcome::done;
  const Stopwatch whole;
  Stopwatch watch;
  const std::vector<std::int64_t> samples = training->sampler.step_samples(step);
  const std::vector<MicroBatch> batches =
      make_batches(training->data.training, samples, config.max_batch_len, model.decoder->device());
  const double seconds_data = watch.lap();
  const StepOptions options = step_options(step);
  const StepResult result = train_step(*model.decoder, training->optimizer, batches, options);

  Progress now = progress;
  now.skipped_in_a_row = result.skipped ? progress.skipped_in_a_row + 1 : 0;
  if (now.skipped_in_a_row > config.max_skipped_steps)
    throw Error(Status::numeric,
                fmt::format("step {}: {} steps one after another had a loss or gradient that is not finite, more than "
                            "max_skipped_steps ({}); go back to an earlier checkpoint, with a lower learning rate",
                            options.step, now.skipped_in_a_row, config.max_skipped_steps),
                {{"step", options.step}, {"key", "max_skipped_steps"}});
  StepMetrics& m = now.metrics;
  m.epoch = training->sampler.epoch_of(step);
  m.step = options.step;
  m.lr = options.lr;
  m.loss = result.loss;
  m.z_loss = config.z_loss * result.z;
  m.router_loss = training->balance_loss * result.router;
  m.grad_norm = result.grad_norm;
  m.skipped_steps += result.skipped;
  m.num_loss_counted_tokens = result.targets;
  m.num_tokens = 0;
  for (const MicroBatch& b : batches) m.num_tokens += b.tokens();
  m.num_minibatches = static_cast<std::int64_t>(batches.size());
  m.batch_size = static_cast<std::int64_t>(samples.size());
  m.samples_seen += m.batch_size;
  m.tokens_seen += m.num_tokens;
  m.seconds_data = seconds_data;
  m.seconds_forward_backward = result.seconds_forward_backward;
  m.seconds_optimizer = result.seconds_optimizer;
  m.step_seconds = whole.seconds();
  m.peak_host_bytes = peak_host_bytes();
  const std::lock_guard lock(progress_mutex);
  progress = now;
  return Outcome::stepped;
}

void Session::Impl::validate(const CancelToken& cancel) {
  const Evaluation result = evaluate(*model.decoder, training->data.validation, config.max_batch_len, cancel);
  if (result.targets == 0)
    fail(Status::data, "the validation data hold no token that is to be learnt, so that they have no loss");
  const std::lock_guard lock(progress_mutex);
  progress.metrics.val_loss = result.loss;
  progress.metrics.val_num_tokens = result.targets;
  progress.validation.record(result.loss, progress.metrics.step, progress.metrics.samples_seen,
                             config.early_stopping_threshold);
}

Snapshot Session::Impl::snapshot(SnapshotOf what) const {
  Snapshot taken{{model.decoder->parameters().stored_tensors(), {}, {}}, &model.source, config.save_dtype};
  if (what == SnapshotOf::weights) return taken;
  if (!training) fail(Status::invalid_state, "this session does not train, so it has no full state: save its weights");
  taken.state.optimizer = training->optimizer.state();
  taken.state.run =
      describe_run(config, progress, fingerprints, training->data.template_date, training->optimizer.steps_done());
  return taken;
}

// A run that cannot save what it trains fails before its first step, not after its last.
void Session::Impl::check_output() const {
  if (config.ckpt_output_dir.empty()) return;
  const fs::path folder = models_folder(config);
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) fail_errno("create the folder", folder, code.value());
  check_export(model.source.files(), folder, exports());
  for (const StoredCheckpoint& there : CheckpointStore::of_models(config.ckpt_output_dir).list())
    require_replaceable(there.path, "config.json");
  fs::remove(folder, code);  // where it is empty, and would tell of a model that there is not
  remove_abandoned_staging(CheckpointStore::of_states(config.ckpt_output_dir).folder());
  remove_abandoned_staging(config.ckpt_output_dir);
}

void Session::Impl::require_ids(std::span<const std::int32_t> ids) const {
  const std::int64_t vocab = model.decoder->spec().vocab;
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (ids[i] < 0 || ids[i] >= vocab)
      throw Error(Status::invalid_argument,
                  fmt::format("token id {} at position {} is outside the model's vocabulary of {}", ids[i], i, vocab),
                  {{"position", i}, {"got", ids[i]}, {"vocab", vocab}});
}

Session::Session(const Config& config) : impl_(std::make_unique<Impl>(config)) {}
Session::~Session() = default;

void Session::set_data(std::shared_ptr<const Dataset> training, std::shared_ptr<const Dataset> validation) {
  if (impl_->training) fail(Status::invalid_state, "this session has training data");
  validate_training_config(impl_->config);
  impl_->begin_training(
      use_datasets(impl_->config, impl_->model.decoder->spec().vocab, std::move(training), std::move(validation)),
      find_state(impl_->config));
}

void Session::set_event_callback(EventFn callback) {
  impl_->on_event = std::move(callback);
}

Outcome Session::step() {
  return impl_->step();
}

Outcome Session::run(const CancelToken& cancel) {
  if (!impl_->training) fail(Status::invalid_state, "this session has no training data: give data_path, or data sets");
  const bool validates = impl_->training->data.validation.size() > 0;
  std::optional<FolderLock> lock;
  if (const std::string& folder = impl_->config.ckpt_output_dir; !folder.empty()) lock.emplace(folder);
  impl_->check_output();
  const LoopActions actions{.step = [this] { return impl_->step(); },
                            .validate = validates ? [this](const CancelToken& c) { impl_->validate(c); }
                                                  : std::function<void(const CancelToken&)>(),
                            .progress = [this]() -> const Progress& { return impl_->progress; },
                            .snapshot = [this](SnapshotOf what) { return impl_->snapshot(what); },
                            .save_request = &impl_->save_request};
  return run_loop(impl_->config, actions, impl_->on_event, cancel);
}

void Session::request_save() noexcept {
  impl_->save_request.make();
}

void Session::save(const std::filesystem::path& path) {
  write_model(impl_->snapshot(SnapshotOf::weights), path);
}

void Session::save_state(const std::filesystem::path& path) {
  save_full_state(path, impl_->snapshot(SnapshotOf::state).state);
}

std::vector<float> Session::score(std::span<const std::int32_t> ids) {
  impl_->require_ids(ids);
  if (ids.size() < 2) return {};
  MicroBatchBuilder builder;
  builder.add(ids, ids);
  const at::Tensor scores = impl_->model.decoder->log_probs(builder.build(impl_->model.decoder->device())).to(at::kCPU);
  const std::span<const float> values(scores.const_data_ptr<float>(), static_cast<std::size_t>(scores.numel()));
  require_finite(values, "a log-probability");
  return {values.begin(), values.end()};
}

std::vector<std::int32_t> Session::generate(std::span<const std::int32_t> prompt, const GenerateOptions& options,
                                            const std::function<bool(std::int32_t)>& on_token,
                                            const CancelToken& cancel) {
  if (prompt.empty()) fail(Status::invalid_argument, "the prompt has no tokens: give at least one");
  impl_->require_ids(prompt);
  GenerateOptions resolved = options;
  if (resolved.stop_ids.empty()) resolved.stop_ids = read_eos_ids(impl_->model.source);
  const std::int64_t positions = impl_->model.decoder->spec().max_positions;
  const auto length = static_cast<std::int64_t>(prompt.size());
  if (length > positions || resolved.max_new_tokens > positions - length)
    log::warn("train", "{} prompt tokens and {} new ones go beyond the {} positions that the model was made for",
              length, resolved.max_new_tokens, positions);
  return ilt::generate(*impl_->model.decoder, prompt, resolved, on_token, cancel);
}

StepMetrics Session::metrics() const {
  const std::lock_guard lock(impl_->progress_mutex);
  return impl_->progress.metrics;
}

const Config& Session::config() const noexcept {
  return impl_->config;
}

Json Session::model_info() const {
  const DecoderSpec& s = impl_->model.decoder->spec();
  return {{"architecture", s.architecture},
          {"path", impl_->model.source.path().string()},
          {"parameters", impl_->model.decoder->parameters().count()},
          {"trainable_parameters", impl_->model.decoder->parameters().trained_count()},
          {"tensors", impl_->model.decoder->parameters().stored_count()},
          {"layers", s.layers},
          {"hidden_size", s.hidden},
          {"vocab_size", s.vocab},
          {"max_position_embeddings", s.max_positions},
          {"tied_embeddings", s.tied},
          {"compute_dtype", "float32"},
          {"device", impl_->model.decoder->device().str()}};
}

}  // namespace ilt
