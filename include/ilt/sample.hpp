// A sample, as tokenizers and data sets give it.
#ifndef ILT_SAMPLE_HPP_
#define ILT_SAMPLE_HPP_

#include <ilt.h>

#include <ilt/error.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ilt {

// Token ids and labels of one sample: labels[i] is ids[i] where the token is learnt, else -100.
struct Sample {
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> labels;
};

namespace detail {

// The sample that function(&ids, &labels, &count, &err) gives.
template <typename F>
Sample sample(F&& function) {
  std::int32_t *ids = nullptr, *labels = nullptr;
  std::size_t count = 0;
  call([&](ilt_error** err) { return function(&ids, &labels, &count, err); });
  const Memory<std::int32_t> ids_owner(ids), labels_owner(labels);
  return {to_vector(ids, count), to_vector(labels, count)};
}

}  // namespace detail

}  // namespace ilt

#endif  // ILT_SAMPLE_HPP_
