// What the validations of a run have shown so far: the best loss, and for how long there was no better one.
#pragma once

#include <cstdint>
#include <limits>

namespace ilt {

struct ValidationHistory {
  double best_loss = std::numeric_limits<double>::infinity();
  std::int64_t best_step = 0;     // 0: there was none
  std::int64_t best_samples = 0;  // seen up to there
  std::int64_t last_step = 0;     // of the last validation
  std::int64_t misses = 0;        // validations since the best one

  // The best one is lower than the best before by more than `threshold`, as with Keras' min_delta; a loss that is not
  // finite never is.
  void record(double loss, std::int64_t step, std::int64_t samples, double threshold) {
    last_step = step;
    if (!(loss < best_loss - threshold)) {
      ++misses;
      return;
    }
    best_loss = loss;
    best_step = step;
    best_samples = samples;
    misses = 0;
  }
};

}  // namespace ilt
