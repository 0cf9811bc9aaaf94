// What is known of a run after each optimizer step; the names are those of the metrics file.
#pragma once

#include <cstdint>
#include <limits>

#include "base/json.h"

namespace ilt {

struct StepMetrics {
  std::int64_t epoch = 0;  // of the step's first sample, from 0
  std::int64_t step = 0;   // optimizer steps done
  std::int64_t step_total = 0;
  double lr = 0.0;                           // used in this step
  double loss = 0.0;                         // mean over the step's loss-bearing tokens
  double z_loss = 0.0;                       // what the option z_loss adds to it
  double router_loss = 0.0;                  // what the option router_aux_loss_coef adds to it
  double grad_norm = 0.0;                    // global L2 norm before clipping
  std::int64_t skipped_steps = 0;            // so far: their loss or gradient was not finite
  std::int64_t num_loss_counted_tokens = 0;  // shifted targets in this step
  std::int64_t num_tokens = 0;               // tokens in this step
  std::int64_t num_minibatches = 0;
  std::int64_t batch_size = 0;  // samples in this step
  std::int64_t samples_seen = 0;
  std::int64_t tokens_seen = 0;
  std::int64_t total_samples = 0;  // in the data set
  std::int64_t num_epoch_steps = 0;
  double step_seconds = 0.0;
  double seconds_data = 0.0;  // phases of the step
  double seconds_forward_backward = 0.0;
  double seconds_optimizer = 0.0;
  std::int64_t peak_host_bytes = 0;
  double val_loss = std::numeric_limits<double>::quiet_NaN();  // of the last validation
  std::int64_t val_num_tokens = 0;

  double samples_per_second() const { return step_seconds > 0 ? static_cast<double>(batch_size) / step_seconds : 0.0; }
  double tokens_per_second() const { return step_seconds > 0 ? static_cast<double>(num_tokens) / step_seconds : 0.0; }
};

// One record of the metrics file: InstructLab's keys first, then libilt's; timestamp in UTC.
Json metrics_record(const StepMetrics& metrics);
// The record of a validation: val_loss, val_num_tokens, step, timestamp, as InstructLab writes them.
Json validation_record(const StepMetrics& metrics);

}  // namespace ilt
