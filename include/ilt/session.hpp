// A session: a model, its optimizer and its data.
#ifndef ILT_SESSION_HPP_
#define ILT_SESSION_HPP_

#include <ilt.h>

#include <ilt/batch.hpp>
#include <ilt/callback.hpp>
#include <ilt/cancel_token.hpp>
#include <ilt/config.hpp>
#include <ilt/dataset.hpp>
#include <ilt/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ilt {

using Metrics = ilt_metrics;

// How a run or an epoch ended: ILT_OK, ILT_STOPPED, or ILT_DONE where no step was left; and its last step's metrics.
struct Outcome {
  ilt_status status;
  Metrics metrics;

  bool stopped() const noexcept { return status == ILT_STOPPED; }
  bool done() const noexcept { return status == ILT_DONE; }
};

// Of one batch: the sum of weight * -log p(label), and the sum of the weights.
struct BatchLoss {
  double sum;
  double weight;

  double mean() const noexcept { return sum / weight; }
};

// The mean loss over the loss-bearing tokens of a data set, and how many these are.
struct Evaluation {
  double loss;
  std::int64_t tokens;
};

// The new token ids; all so far where a token or the callback stopped it.
struct Generation {
  std::vector<std::int32_t> ids;
  bool stopped;
};

// A model, its optimizer and its data. A function that a callback runs in throws what the callback threw.
class Session {
 public:
  explicit Session(const Config& config)
      : handle_(detail::make<Handle>(
            [&](ilt_session** out, ilt_error** err) { return ilt_session_create(config.c(), out, err); })) {}

  // Sets the function that is told of steps, checkpoints and epochs; an empty one removes it.
  void set_event_callback(EventFunction function) {
    auto events = function ? std::make_unique<Events>(std::move(function)) : nullptr;
    detail::call([&](ilt_error** err) {
      return ilt_session_set_event_callback(c(), events ? detail::on_event : nullptr, events.get(), nullptr, err);
    });
    events_ = std::move(events);
  }
  // Gives a session without data what to train on and, unless NULL, what to validate on.
  void set_datasets(const Dataset& training, const Dataset* validation = nullptr) {
    detail::call([&](ilt_error** err) {
      return ilt_session_set_datasets(c(), training.c(), validation ? validation->c() : nullptr, err);
    });
  }
  std::string config_json() const {
    return detail::text([&](char** out, std::size_t* length, ilt_error** err) {
      return ilt_session_config_json(c(), out, length, err);
    });
  }
  std::string model_info_json() const {
    return detail::text([&](char** out, std::size_t* length, ilt_error** err) {
      return ilt_session_model_info_json(c(), out, length, err);
    });
  }
  // Sets the learning rate from now on; ILT_LR_SCHEDULE: the schedule's.
  void set_lr(double lr) {
    detail::call([&](ilt_error** err) { return ilt_session_set_lr(c(), lr, err); });
  }
  // Whether a failure has left the session of no more use.
  bool is_poisoned() const noexcept { return ilt_session_is_poisoned(c()) != 0; }
  // Asks the run to save after the step that it is in, from any thread or a signal handler.
  void request_save() noexcept { ilt_session_request_save(c()); }

  // ---- training ----

  // One optimizer step on the session's data; nothing where the run has no more steps.
  std::optional<Metrics> train_step() {
    Metrics metrics = ILT_METRICS_INIT;
    const ilt_status status = detail::call([&](ilt_error** err) { return ilt_train_step(c(), &metrics, err); });
    return status == ILT_DONE ? std::nullopt : std::optional<Metrics>(metrics);
  }
  // All steps that remain.
  Outcome train_run(const CancelToken& cancel = CancelToken::none()) { return train(ilt_train_run, cancel); }
  // The steps that remain of the epoch.
  Outcome train_epoch(const CancelToken& cancel = CancelToken::none()) { return train(ilt_train_epoch, cancel); }
  // The metrics of the last step that is done.
  Metrics metrics() const {
    Metrics metrics = ILT_METRICS_INIT;
    detail::call([&](ilt_error** err) { return ilt_metrics_get(c(), &metrics, err); });
    return metrics;
  }
  // The same as a line of the metrics file.
  std::string metrics_json() const {
    return detail::text(
        [&](char** out, std::size_t* length, ilt_error** err) { return ilt_metrics_json(c(), out, length, err); });
  }

  // ---- a loop of the program's own ----

  // Adds the gradient of the batch's loss to what earlier calls have added.
  BatchLoss forward_backward(const Batch& batch) {
    BatchLoss loss = {0, 0};
    detail::call([&](ilt_error** err) { return ilt_forward_backward(c(), batch.c(), &loss.sum, &loss.weight, err); });
    return loss;
  }
  // Divides the gradients (0: by the sum of the labels' weights), clips, updates, clears; nothing where no step is
  // left.
  std::optional<Metrics> optimizer_step(double divisor = 0) {
    Metrics metrics = ILT_METRICS_INIT;
    const ilt_status status =
        detail::call([&](ilt_error** err) { return ilt_optimizer_step(c(), divisor, &metrics, err); });
    return status == ILT_DONE ? std::nullopt : std::optional<Metrics>(metrics);
  }
  // Drops the gradients.
  void zero_grad() {
    detail::call([&](ilt_error** err) { return ilt_zero_grad(c(), err); });
  }

  // ---- evaluation, scoring, generation ----

  // The loss on a data set, NULL for the session's validation data; nothing where it was cancelled.
  std::optional<Evaluation> evaluate(const Dataset* dataset = nullptr,
                                     const CancelToken& cancel = CancelToken::none()) {
    Evaluation result = {0, 0};
    const ilt_status status = detail::call([&](ilt_error** err) {
      return ilt_evaluate(c(), dataset ? dataset->c() : nullptr, cancel.c(), &result.loss, &result.tokens, err);
    });
    return status == ILT_STOPPED ? std::nullopt : std::optional<Evaluation>(result);
  }
  // log p(ids[i + 1] | ids[0..i]) for each i but the last.
  std::vector<float> score(const std::vector<std::int32_t>& ids) {
    std::vector<float> logprobs(std::max<std::size_t>(ids.size(), 2) - 1);
    detail::call([&](ilt_error** err) { return ilt_score(c(), ids.data(), ids.size(), logprobs.data(), err); });
    return logprobs;
  }
  // Continues a prompt; `function`, unless empty, is told of each token as it comes.
  Generation generate(const std::vector<std::int32_t>& prompt, const std::string& options_json = {},
                      TokenFunction function = {}, const CancelToken& cancel = CancelToken::none()) {
    using Callback = detail::Callback<std::int32_t>;
    Callback callback(std::move(function));
    std::int32_t* ids = nullptr;
    std::size_t count = 0;
    const ilt_status status = callback.call([&](ilt_error** err) {
      return ilt_generate(c(), prompt.data(), prompt.size(), detail::or_null(options_json),
                          callback ? Callback::run : nullptr, &callback, cancel.c(), &ids, &count, err);
    });
    const detail::Memory<std::int32_t> owner(ids);
    return {detail::to_vector(ids, count), status == ILT_STOPPED};
  }

  // ---- checkpoints and parameters ----

  // Writes the model (ILT_CKPT_WEIGHTS) or the full state of the run (ILT_CKPT_FULL_STATE).
  void save(const std::string& path, ilt_checkpoint_kind kind = ILT_CKPT_WEIGHTS) {
    detail::call([&](ilt_error** err) { return ilt_checkpoint_save(c(), path.c_str(), kind, err); });
  }
  // Goes back, or on, to a full state.
  void load(const std::string& path) {
    detail::call([&](ilt_error** err) { return ilt_checkpoint_load(c(), path.c_str(), err); });
  }
  // The names of the model's tensors, as its files have them.
  std::vector<std::string> param_names() const {
    std::size_t count = 0;
    detail::call([&](ilt_error** err) { return ilt_param_count(c(), &count, err); });
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) {
      const char* name = nullptr;
      detail::call([&](ilt_error** err) { return ilt_param_name(c(), i, &name, err); });
      names.emplace_back(name);
    }
    return names;
  }
  std::string param_info_json(const std::string& name) const {
    return detail::text([&](char** out, std::size_t* length, ilt_error** err) {
      return ilt_param_info_json(c(), name.c_str(), out, length, err);
    });
  }
  // A parameter as a tensor of DLPack, a copy or the session's memory; the caller calls its deleter.
  DLManagedTensorVersioned* param_to_dlpack(const std::string& name, bool copy = true) {
    DLManagedTensorVersioned* out = nullptr;
    detail::call([&](ilt_error** err) { return ilt_param_to_dlpack(c(), name.c_str(), copy, &out, err); });
    return out;
  }
  // Sets a parameter; libilt calls the deleter of `source`, also if this throws.
  void param_from_dlpack(const std::string& name, DLManagedTensorVersioned* source) {
    detail::call([&](ilt_error** err) { return ilt_param_from_dlpack(c(), name.c_str(), source, err); });
  }

  ilt_session* c() const noexcept { return handle_.get(); }

 private:
  using Handle = detail::Handle<ilt_session, ilt_session_free>;
  using Events = detail::Callback<const Event&>;

  template <typename F>
  Outcome train(F function, const CancelToken& cancel) {
    Outcome outcome = {ILT_OK, ILT_METRICS_INIT};
    const auto run = [&](ilt_error** err) { return function(c(), cancel.c(), &outcome.metrics, err); };
    outcome.status = events_ ? events_->call(run) : detail::call(run);
    return outcome;
  }

  std::unique_ptr<Events> events_;  // at the same address when the session moves
  Handle handle_;
};

}  // namespace ilt

#endif  // ILT_SESSION_HPP_
