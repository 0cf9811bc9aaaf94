// How far a run has come: what a full state keeps of it beside tensors.
#pragma once

#include "observe/metrics.h"
#include "train/validation_history.h"

namespace ilt {

struct Progress {
  StepMetrics metrics;  // of the last step
  ValidationHistory validation;
  double host_lr = -1;                // the learning rate that the host has set; -1: none, the schedule's counts
  std::int64_t skipped_in_a_row = 0;  // steps whose loss or gradient was not finite, up to the last one
};

}  // namespace ilt
