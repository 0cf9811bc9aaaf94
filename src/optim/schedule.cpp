// Learning-rate schedules, after transformers/optimization.py.
#include "optim/schedule.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/error.h"

namespace ilt {

namespace {

struct Name {
  std::string_view name;
  ScheduleKind kind;
};

constexpr Name names[] = {{"constant", ScheduleKind::constant},
                          {"constant_with_warmup", ScheduleKind::constant_with_warmup},
                          {"linear", ScheduleKind::linear},
                          {"cosine", ScheduleKind::cosine}};

double ratio(std::int64_t a, std::int64_t b) {
  return static_cast<double>(a) / static_cast<double>(std::max<std::int64_t>(1, b));
}

}  // namespace

ScheduleKind parse_schedule(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Name& n : names) {
    if (n.name == name) return n.kind;
    known.push_back(n.name);
  }
  fail(Status::config, "lr_scheduler is '{}', expected one of: {}", name, fmt::join(known, ", "));
}

double learning_rate(const Schedule& s, std::int64_t step) {
  if (s.kind == ScheduleKind::constant) return s.base_lr;
  if (step < s.warmup_steps) return s.base_lr * ratio(step, s.warmup_steps);
  const std::int64_t decay_steps = s.total_steps - s.warmup_steps;
  switch (s.kind) {
    case ScheduleKind::linear: return s.base_lr * std::max(0.0, ratio(s.total_steps - step, decay_steps));
    case ScheduleKind::cosine: {
      const double progress = ratio(step - s.warmup_steps, decay_steps);
      return s.base_lr * std::max(0.0, 0.5 * (1.0 + std::cos(std::numbers::pi * progress)));
    }
    default: return s.base_lr;
  }
}

}  // namespace ilt
