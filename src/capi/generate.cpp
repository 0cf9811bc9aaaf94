// ilt.h: evaluation, scoring and generation.
#include <algorithm>

#include "capi/guard.h"
#include "capi/output.h"
#include "config/option.h"

namespace ilt::capi {
namespace {

using Options = GenerateOptions;

const std::vector<Option>& table() {
  static const auto* const options = new std::vector<Option>{
      {.name = "max_new_tokens", .field = field_of<&Options::max_new_tokens>, .bounds = {.min = 1, .max = 1e9}},
      {.name = "temperature", .field = field_of<&Options::temperature>, .bounds = {.min = 0}},
      {.name = "top_p", .field = field_of<&Options::top_p>, .bounds = {.min = 0, .max = 1, .open_min = true}},
      {.name = "top_k", .field = field_of<&Options::top_k>, .bounds = {.min = 0}},
      {.name = "seed", .field = field_of<&Options::seed>, .bounds = {.min = 0}},
      {.name = "stop_ids", .field = field_of<&Options::stop_ids>, .bounds = {.min = 0}},
  };
  return *options;
}

Options parse_options(const char* json) {
  Options options;
  if (json != nullptr) set_options(table(), &options, parse_json(json, "generation options", {.repeated_keys = false}));
  return options;
}

// Asks the host after each token; keeps what has come, also for a call that is stopped.
struct Listener {
  ilt_token_fn fn;
  void* user_data;
  std::vector<std::int32_t> ids = {};
  bool stopped = false;

  bool operator()(std::int32_t id) {
    ids.push_back(id);
    const auto answer = fn != nullptr ? fn(id, user_data) : 0;
    if (answer < 0)
      throw Error(Status::callback, fmt::format("the token callback returned {}", answer), {{"returned", answer}});
    if (answer > 0) stopped = true;
    return answer == 0;
  }
};

}  // namespace
}  // namespace ilt::capi

using namespace ilt::capi;

ilt_status ilt_evaluate(ilt_session* session, const ilt_dataset* dataset, ilt_cancel_token* cancel, double* out_loss,
                        int64_t* out_tokens, ilt_error** err) noexcept {
  return guard(session, Access::nested, err, [&] {
    const auto token = cancel != nullptr ? cancel->token : ilt::CancelToken();
    const auto result = dataset == nullptr ? session->value.evaluate(nullptr, token)
                                           : use(dataset, Access::shared,
                                                 [&] { return session->value.evaluate(dataset->value, token); });
    if (out_loss != nullptr) *out_loss = result.loss;
    if (out_tokens != nullptr) *out_tokens = result.targets;
  });
}

ilt_status ilt_score(ilt_session* session, const int32_t* ids, size_t count, float* out_logprobs,
                     ilt_error** err) noexcept {
  return guard(session, Access::nested, err, [&] {
    require(ids, "ids");
    require(out_logprobs, "out_logprobs");
    if (count < 2) ilt::fail(ilt::Status::invalid_argument, "count is {}, expected at least 2 token ids", count);
    const auto logprobs = session->value.score({ids, count});
    std::copy(logprobs.begin(), logprobs.end(), out_logprobs);
  });
}

ilt_status ilt_generate(ilt_session* session, const int32_t* prompt, size_t prompt_count, const char* options_json,
                        ilt_token_fn fn, void* user_data, ilt_cancel_token* cancel, int32_t** out_ids,
                        size_t* out_count, ilt_error** err) noexcept {
  return guard(session, Access::nested, err, [&] {
    require(prompt, "prompt");
    if (prompt_count == 0) ilt::fail(ilt::Status::invalid_argument, "the prompt is empty: give at least one token id");
    if (out_ids != nullptr || out_count != nullptr) require(out_ids, "out_ids"), require(out_count, "out_count");
    const auto token = cancel != nullptr ? cancel->token : ilt::CancelToken();
    Listener listener{fn, user_data};
    try {
      session->value.generate({prompt, prompt_count}, parse_options(options_json), std::ref(listener), token);
    } catch (const ilt::Stopped&) {
      listener.stopped = true;
    }
    if (out_ids != nullptr) give_ids(listener.ids, out_ids, out_count);
    return listener.stopped || token.cancelled() ? ILT_STOPPED : ILT_OK;
  });
}
