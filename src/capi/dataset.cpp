// ilt.h: data sets.
#include "capi/guard.h"
#include "capi/output.h"
#include "config/option.h"
#include "config/options.h"
#include "data/process.h"
#include "data/records.h"
#include "data/stats.h"
#include "train/data.h"

namespace ilt::capi {
namespace {

struct StatsOptions {
  std::int64_t max_batch_len = 0;
  std::int64_t effective_batch_size = 128;
  std::int64_t ranks = 1;
};

const std::vector<Option>& stats_table() {
  using O = StatsOptions;
  static const auto* const options = new std::vector<Option>{
      {.name = "max_batch_len", .field = field_of<&O::max_batch_len>, .bounds = {.min = 1}},
      {.name = "effective_batch_size", .field = field_of<&O::effective_batch_size>, .bounds = {.min = 1}},
      {.name = "ranks", .field = field_of<&O::ranks>, .bounds = {.min = 1, .max = 65536}},
  };
  return *options;
}

// Asks the host; a callback that wants to stop is as good as a cancelled token.
struct ProgressListener {
  ilt_data_progress_fn fn;
  void* user_data;

  void operator()(const DataProgress& now) const {
    if (fn == nullptr) return;
    const auto answer = fn(now.records, static_cast<std::int64_t>(now.bytes_done),
                           static_cast<std::int64_t>(now.bytes_total), user_data);
    if (answer < 0)
      throw Error(Status::callback, fmt::format("the progress callback returned {}", answer), {{"returned", answer}});
    if (answer > 0) throw Stopped();
  }
};

void give_sample(std::span<const std::int32_t> ids, std::span<const std::int32_t> labels, std::int32_t** out_ids,
                 std::int32_t** out_labels, std::size_t* out_count) {
  std::unique_ptr<std::int32_t, decltype(&std::free)> copy(copy_out(ids), &std::free);
  *out_labels = copy_out(labels);
  *out_ids = copy.release();
  *out_count = ids.size();
}

}  // namespace
}  // namespace ilt::capi

using namespace ilt::capi;

ilt_status ilt_dataset_process(const ilt_config* config, const char* out_path, ilt_data_progress_fn fn, void* user_data,
                               ilt_cancel_token* cancel, ilt_error** err) noexcept {
  return guard(config, Access::shared, err, [&] {
    require(out_path, "out_path");
    ilt::process_run_data(config->value, out_path, ProgressListener{fn, user_data},
                          cancel != nullptr ? cancel->token : ilt::CancelToken());
  });
}

ilt_status ilt_dataset_open(const char* path, ilt_dataset** out, ilt_error** err) noexcept {
  return guard(err, [&] {
    require(path, "path");
    require(out, "out");
    *out = new ilt_dataset(ilt::Dataset::open(path));
  });
}

ilt_status ilt_dataset_create(const ilt_config* config, ilt_cancel_token* cancel, ilt_dataset** out,
                              ilt_error** err) noexcept {
  return guard(config, Access::shared, err, [&] {
    require(out, "out");
    const auto token = cancel != nullptr ? cancel->token : ilt::CancelToken();
    *out = config->value.data_path.empty() ? new ilt_dataset(ilt::Dataset(), ilt::make_record_reader(config->value))
                                           : new ilt_dataset(ilt::load_data(config->value, token));
  });
}

ilt_status ilt_dataset_add(ilt_dataset* dataset, const char* record_json, size_t length, int32_t* out_kept,
                           ilt_error** err) noexcept {
  return guard(dataset, Access::exclusive, err, [&] {
    require(record_json, "record_json");
    if (!dataset->reader)
      ilt::fail(ilt::Status::invalid_state, "records are added to data sets that were created without data_path");
    if (dataset->value.use_count() > 1)
      ilt::fail(ilt::Status::invalid_state, "a session uses this data set: add the records before");
    const bool kept = dataset->reader->add({record_json, length}, *dataset->value);
    if (out_kept != nullptr) *out_kept = kept ? 1 : 0;
  });
}

int64_t ilt_dataset_num_samples(const ilt_dataset* dataset) noexcept {
  std::int64_t count = 0;
  const auto status = guard(dataset, Access::shared, nullptr, [&] { count = dataset->value->size(); });
  return status == ILT_OK ? count : 0;
}

int64_t ilt_dataset_num_tokens(const ilt_dataset* dataset) noexcept {
  std::int64_t count = 0;
  const auto status = guard(dataset, Access::shared, nullptr, [&] { count = dataset->value->num_tokens(); });
  return status == ILT_OK ? count : 0;
}

ilt_status ilt_dataset_sample(const ilt_dataset* dataset, int64_t index, int32_t** out_ids, int32_t** out_labels,
                              size_t* out_count, ilt_error** err) noexcept {
  return guard(dataset, Access::shared, err, [&] {
    require(out_ids, "out_ids");
    require(out_labels, "out_labels");
    require(out_count, "out_count");
    const ilt::SampleView sample = dataset->value->at(index);
    give_sample(sample.ids, ilt::labels_of(sample), out_ids, out_labels, out_count);
  });
}

ilt_status ilt_dataset_stats_json(const ilt_dataset* dataset, const char* options_json, char** out, size_t* out_length,
                                  ilt_error** err) noexcept {
  return guard(dataset, Access::shared, err, [&] {
    StatsOptions options;
    if (options_json != nullptr)
      ilt::set_options(stats_table(), &options,
                       ilt::parse_json(options_json, "statistics options", {.repeated_keys = false}));
    const auto stats = ilt::dataset_stats(
        *dataset->value, {options.max_batch_len, options.effective_batch_size, static_cast<int>(options.ranks)});
    give_string(stats.dump(2, ' ', false, ilt::Json::error_handler_t::replace), out, out_length);
  });
}

void ilt_dataset_free(ilt_dataset* dataset) noexcept {
  release(dataset);
}

ilt_status ilt_tokenizer_apply_chat(const ilt_tokenizer* tokenizer, const char* record_json, size_t length,
                                    int32_t** out_ids, int32_t** out_labels, size_t* out_count,
                                    ilt_error** err) noexcept {
  return guard(tokenizer, Access::shared, err, [&] {
    require(record_json, "record_json");
    require(out_ids, "out_ids");
    require(out_labels, "out_labels");
    require(out_count, "out_count");
    if (tokenizer->no_chat) std::rethrow_exception(tokenizer->no_chat);
    const auto sample = ilt::sample_of_record(tokenizer->value, &*tokenizer->chat, {record_json, length});
    give_sample(sample.ids, sample.labels, out_ids, out_labels, out_count);
  });
}
