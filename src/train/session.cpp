// A session: holds the parts, and hands each call to the one that does it.
#include "train/session.h"

#include <cmath>
#include <mutex>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/folder_lock.h"
#include "base/log.h"
#include "checkpoint/full_state.h"
#include "checkpoint/manifest.h"
#include "config/options.h"
#include "model/load.h"
#include "train/session_impl.h"
#include "weights/export.h"

namespace ilt {

Session::Impl::Impl(const Config& c) : config(c), model(load_model(c)), parameters(model.decoder->parameters()) {
  if (config.data_path.empty()) return;
  const auto state = find_state(config);  // before the work of reading the data
  Config dated = config;
  if (state && dated.chat_template_date.empty())
    dated.chat_template_date = read_run_state(*state).value("template_date", "");
  begin_training(load_run_data(dated, model.decoder->spec().vocab), state);
}

void Session::Impl::begin_training(RunData data, const std::optional<fs::path>& state) {
  require_validation(config, data.validation);
  const DataFingerprints found{data.training.fingerprint(),
                               data.validation.size() > 0 ? data.validation.fingerprint() : ""};
  const Json run = state ? read_run_state(*state) : Json();
  Progress begun;
  if (state) begun = check_run(run, config, found);
  auto prepared = prepare_training(config, *model.decoder, std::move(data));
  if (state) load_tensors(*state, run, *prepared);
  training = std::move(prepared);
  fingerprints = found;
  begin_from(begun, state);
}

void Session::Impl::load_tensors(const fs::path& state, const Json& run, TrainingState& into) const {
  load_full_state(state, {model.decoder->parameters().stored_tensors(), into.optimizer.state(), {}});
  into.optimizer.set_steps_done(run.at("optimizer_steps").get<std::int64_t>());
}

void Session::Impl::begin_from(Progress begun, const std::optional<fs::path>& state) {
  StepMetrics& m = begun.metrics;
  m.step_total = training->schedule.total_steps;
  if (training->source) {
    m.total_samples = training->source->data.training.size();
    m.num_epoch_steps = training->source->sampler.steps_per_epoch();
  }
  if (state) log::info("train", "going on from {}: {} of {} steps are done", state->string(), m.step, m.step_total);
  host_lr.store(begun.host_lr);
  pending = {};
  run_has_ended = false;
  const std::lock_guard lock(progress_mutex);
  progress = begun;
}

void Session::Impl::load_state(const fs::path& path) {
  const auto step = verify_folder(path).info.value("step", std::int64_t{0});
  refuse_later_states(config, path.string(), step);
  const Json run = read_run_state(path);
  const Progress begun = check_run(run, config, fingerprints);
  if (!training) training = prepare_host_loop(config, *model.decoder);
  try {
    load_tensors(path, run, *training);
  } catch (const Error&) {
    throw;  // before a tensor has changed
  } catch (...) {
    soundness.lose(std::current_exception());
    throw;
  }
  begin_from(begun, path);
}

namespace {

void require_targets(const Evaluation& result) {
  if (result.targets == 0)
    fail(Status::data, "the validation data hold no token that is to be learnt, so that they have no loss");
}

}  // namespace

void Session::Impl::validate(const CancelToken& cancel) {
  const Evaluation result =
      ilt::evaluate(*model.decoder, training->source->data.validation, config.max_batch_len, cancel);
  require_targets(result);
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
  if (has_gradients())
    fail(Status::invalid_state,
         "a full state has no place for the gradients that wait for their step: step, or drop them, before");
  Progress now = progress;
  now.host_lr = host_lr.load();
  taken.state.optimizer = training->optimizer.state();
  taken.state.run =
      describe_run(config, now, fingerprints, training->source ? training->source->data.template_date : "",
                   training->optimizer.steps_done());
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

Corpus Session::Impl::as_corpus(std::shared_ptr<const Dataset> dataset) {
  if (tokenizer.empty() && !dataset->origin.tokenizer.empty()) tokenizer = tokenizer_fingerprint(config);
  return use_dataset(config, model.decoder->spec().vocab, tokenizer, std::move(dataset));
}

Corpus Session::Impl::validation_data() const {
  if (!training || !training->source || training->source->data.validation.size() == 0)
    fail(Status::invalid_state, "this session has no validation data: give a data set");
  return training->source->data.validation;
}

std::vector<ExportTensor> Session::Impl::exports() const {
  return export_tensors(model.decoder->parameters().stored_tensors(), model.source, config.save_dtype);
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
  if (impl_->training)
    fail(Status::invalid_state, "this session has training data, or has trained on a host's batches");
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

Outcome Session::Impl::run(RunUntil until, const CancelToken& cancel) {
  require_data();
  const std::int64_t before = progress.metrics.step;
  if (until == RunUntil::epoch && run_has_ended) return Outcome::done;
  const bool validates = training->source->data.validation.size() > 0;
  std::optional<FolderLock> lock;
  if (const std::string& folder = config.ckpt_output_dir; !folder.empty()) lock.emplace(folder);
  check_output();
  const LoopActions actions{
      .step = [this] { return step(); },
      .validate = validates ? [this](const CancelToken& c) { validate(c); } : std::function<void(const CancelToken&)>(),
      .progress = [this]() -> const Progress& { return progress; },
      .snapshot = [this](SnapshotOf what) { return snapshot(what); },
      .save_request = &save_request};
  const Outcome outcome = run_loop(config, actions, on_event, cancel, until);
  if (outcome != Outcome::done) return outcome;
  run_has_ended = true;
  return until == RunUntil::epoch && progress.metrics.step > before ? Outcome::stepped : Outcome::done;
}

Outcome Session::run(const CancelToken& cancel) {
  return impl_->run(RunUntil::end, cancel);
}

Outcome Session::run_epoch(const CancelToken& cancel) {
  return impl_->run(RunUntil::epoch, cancel);
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

void Session::load_state(const std::filesystem::path& path) {
  impl_->load_state(path);
}

Evaluation Session::evaluate(std::shared_ptr<const Dataset> data, const CancelToken& cancel) {
  require_batch_len(impl_->config);
  const Corpus corpus = data ? impl_->as_corpus(std::move(data)) : impl_->validation_data();
  const Evaluation result = ilt::evaluate(*impl_->model.decoder, corpus, impl_->config.max_batch_len, cancel);
  require_targets(result);
  if (!std::isfinite(result.loss))
    fail(Status::numeric, "the loss is not finite ({}): check the model's weights", result.loss);
  return result;
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

const NamedParameters& Session::parameters() const noexcept {
  return impl_->parameters;
}

void Session::lose(std::exception_ptr cause) noexcept {
  impl_->soundness.lose(std::move(cause));
}

bool Session::lost() const noexcept {
  return impl_->soundness.lost();
}

std::exception_ptr Session::cause_of_loss() const noexcept {
  return impl_->soundness.cause();
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
