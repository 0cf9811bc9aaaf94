// Learning-rate schedules, after transformers/optimization.py.
#include "optim/schedule.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace ilt {
namespace {

struct Name {
  std::string_view name;
  ScheduleKind kind;
};

constexpr Name names[] = {{"constant", ScheduleKind::constant},
                          {"constant_with_warmup", ScheduleKind::constant_with_warmup},
                          {"linear", ScheduleKind::linear},
                          {"cosine", ScheduleKind::cosine},
                          {"cosine_with_restarts", ScheduleKind::cosine_with_restarts},
                          {"polynomial", ScheduleKind::polynomial},
                          {"warmup_stable_decay", ScheduleKind::warmup_stable_decay}};

double ratio(std::int64_t a, std::int64_t b) {
  return static_cast<double>(a) / static_cast<double>(std::max<std::int64_t>(1, b));
}

// Half a cosine wave from 1 at 0 to 0 at 1.
double cosine(double progress) {
  return std::max(0.0, 0.5 * (1.0 + std::cos(std::numbers::pi * progress)));
}

double polynomial(const Schedule& s, double progress) {
  return (s.base_lr - s.end_lr) * std::pow(1.0 - progress, s.power) + s.end_lr;
}

}  // namespace

bool has_end(ScheduleKind kind) {
  return kind != ScheduleKind::constant && kind != ScheduleKind::constant_with_warmup;
}

ScheduleKind parse_schedule(std::string_view name) {
  std::vector<std::string> known;
  for (const Name& n : names) {
    if (n.name == name) return n.kind;
    known.emplace_back(n.name);
  }
  throw Error(Status::config,
              fmt::format("lr_scheduler is '{}', expected one of: {}{}", name, fmt::join(known, ", "),
                          nearest_hint(name, known)),
              {{"key", "lr_scheduler"}, {"got", std::string(name)}, {"expected", known}});
}

double learning_rate(const Schedule& s, std::int64_t step) {
  if (s.kind == ScheduleKind::constant) return s.base_lr;
  if (step < s.warmup_steps) return s.base_lr * ratio(step, s.warmup_steps);
  const double progress = ratio(step - s.warmup_steps, s.total_steps - s.warmup_steps);
  switch (s.kind) {
    case ScheduleKind::linear:
      return s.base_lr * std::max(0.0, ratio(s.total_steps - step, s.total_steps - s.warmup_steps));
    case ScheduleKind::cosine:
      return s.base_lr * cosine(progress);
    case ScheduleKind::cosine_with_restarts:
      return progress >= 1.0 ? 0.0 : s.base_lr * cosine(std::fmod(static_cast<double>(s.cycles) * progress, 1.0));
    case ScheduleKind::polynomial:
      return progress > 1.0 ? s.end_lr : polynomial(s, progress);
    case ScheduleKind::warmup_stable_decay: {
      const std::int64_t decayed = step - (s.total_steps - s.decay_steps);
      if (decayed < 0) return s.base_lr;
      return decayed >= s.decay_steps ? 0.0 : s.base_lr * cosine(ratio(decayed, s.decay_steps));
    }
    default:
      return s.base_lr;
  }
}

}  // namespace ilt
