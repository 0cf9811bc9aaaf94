// Learning-rate schedules: pure functions of the optimizer step.
#pragma once

#include <cstdint>
#include <string_view>

namespace ilt {

enum class ScheduleKind {
  constant,
  constant_with_warmup,
  linear,
  cosine,
  cosine_with_restarts,
  polynomial,
  warmup_stable_decay
};

struct Schedule {
  ScheduleKind kind = ScheduleKind::cosine;
  double base_lr = 0.0;
  std::int64_t warmup_steps = 0;  // the rate rises linearly from 0; constant has no warmup
  std::int64_t total_steps = 0;   // the decaying kinds reach their end there
  std::int64_t cycles = 1;        // cosine_with_restarts: how often it falls to 0
  double end_lr = 1e-7;           // polynomial: the last rate
  double power = 1.0;             // polynomial: its exponent
  std::int64_t decay_steps = 0;   // warmup_stable_decay: the cosine at the end
};

// Whether the rates depend on total_steps.
bool has_end(ScheduleKind kind);

// Throws config with the names that are known.
ScheduleKind parse_schedule(std::string_view name);

// The rate of the optimizer step with this index (from 0), as transformers' get_*_schedule_with_warmup: with a warmup
// the first step's rate is 0.
double learning_rate(const Schedule& schedule, std::int64_t step);

}  // namespace ilt
