// Data sets, in memory or in a processed file.
#ifndef ILT_DATASET_HPP_
#define ILT_DATASET_HPP_

#include <ilt.h>

#include <ilt/callback.hpp>
#include <ilt/cancel_token.hpp>
#include <ilt/config.hpp>
#include <ilt/error.hpp>
#include <ilt/sample.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace ilt {

// Samples in memory or in a processed file.
class Dataset {
 public:
  // The records of the configuration's data_path, or none yet: add(). Throws ILT_STOPPED where `cancel` stops it.
  explicit Dataset(const Config& config, const CancelToken& cancel = CancelToken::none()) {
    ilt_dataset* out = nullptr;
    const ilt_status status =
        detail::call([&](ilt_error** err) { return ilt_dataset_create(config.c(), cancel.c(), &out, err); });
    if (status != ILT_OK) throw Error(status, "the reading of the data set was cancelled", "{}");
    handle_.reset(out);
  }
  // Maps a file that process() has written.
  static Dataset open(const std::string& path) {
    return Dataset(detail::make<Handle>(
        [&](ilt_dataset** out, ilt_error** err) { return ilt_dataset_open(path.c_str(), out, err); }));
  }
  // Writes the configuration's data to a file that data_path then takes; false: stopped, the same call goes on.
  static bool process(const Config& config, const std::string& out_path, ProgressFunction progress = {},
                      const CancelToken& cancel = CancelToken::none()) {
    using Callback = detail::Callback<std::int64_t, std::int64_t, std::int64_t>;
    Callback callback(std::move(progress));
    return callback.call([&](ilt_error** err) {
      return ilt_dataset_process(config.c(), out_path.c_str(), callback ? Callback::run : nullptr, &callback,
                                 cancel.c(), err);
    }) == ILT_OK;
  }

  // Adds a record; false where it is left out: stats_json() counts why.
  bool add(std::string_view record_json) {
    std::int32_t kept = 0;
    detail::call(
        [&](ilt_error** err) { return ilt_dataset_add(c(), record_json.data(), record_json.size(), &kept, err); });
    return kept != 0;
  }
  std::int64_t num_samples() const noexcept { return ilt_dataset_num_samples(c()); }
  std::int64_t num_tokens() const noexcept { return ilt_dataset_num_tokens(c()); }
  Sample sample(std::int64_t index) const {
    return detail::sample([&](std::int32_t** ids, std::int32_t** labels, std::size_t* count, ilt_error** err) {
      return ilt_dataset_sample(c(), index, ids, labels, count, err);
    });
  }
  // What became of the records, and the lengths of the samples.
  std::string stats_json(const std::string& options_json = {}) const {
    return detail::text([&](char** out, std::size_t* length, ilt_error** err) {
      return ilt_dataset_stats_json(c(), detail::or_null(options_json), out, length, err);
    });
  }
  ilt_dataset* c() const noexcept { return handle_.get(); }

 private:
  using Handle = detail::Handle<ilt_dataset, ilt_dataset_free>;
  explicit Dataset(Handle handle) noexcept : handle_(std::move(handle)) {}

  Handle handle_;
};

}  // namespace ilt

#endif  // ILT_DATASET_HPP_
