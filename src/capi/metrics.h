// A step's metrics as the struct of ilt.h.
#pragma once

#include "ilt.h"
#include "observe/metrics.h"

namespace ilt::capi {

ilt_metrics to_c(const StepMetrics& metrics);

}  // namespace ilt::capi
