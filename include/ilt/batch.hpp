// Batches for a loop of the program's own.
#ifndef ILT_BATCH_HPP_
#define ILT_BATCH_HPP_

#include <ilt.h>

#include <ilt/error.hpp>

#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ilt {

// Samples for a loop of the program's own.
class Batch {
 public:
  Batch() : handle_(detail::make<Handle>(ilt_batch_create)) {}

  // Adds a sample. Empty labels: all ids are learnt; empty weights: all are 1.
  Batch& add(const std::vector<std::int32_t>& ids, const std::vector<std::int32_t>& labels = {},
             const std::vector<float>& weights = {}) {
    if (!labels.empty() && labels.size() != ids.size())
      throw std::invalid_argument("a sample needs as many labels as ids");
    if (!weights.empty() && weights.size() != ids.size())
      throw std::invalid_argument("a sample needs as many weights as ids");
    detail::call([&](ilt_error** err) {
      return ilt_batch_add(c(), ids.data(), labels.empty() ? nullptr : labels.data(),
                           weights.empty() ? nullptr : weights.data(), ids.size(), err);
    });
    return *this;
  }
  // Removes all samples.
  void clear() {
    detail::call([&](ilt_error** err) { return ilt_batch_clear(c(), err); });
  }
  std::int64_t samples() const { return size().first; }
  std::int64_t tokens() const { return size().second; }
  ilt_batch* c() const noexcept { return handle_.get(); }

 private:
  std::pair<std::int64_t, std::int64_t> size() const {
    std::pair<std::int64_t, std::int64_t> size;
    detail::call([&](ilt_error** err) { return ilt_batch_size(c(), &size.first, &size.second, err); });
    return size;
  }

  using Handle = detail::Handle<ilt_batch, ilt_batch_free>;
  Handle handle_;
};

}  // namespace ilt

#endif  // ILT_BATCH_HPP_
