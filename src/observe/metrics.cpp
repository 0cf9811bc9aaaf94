// The table of metric names, and a step's record made from it.
#include "observe/metrics.h"

#include <chrono>
#include <ctime>

namespace ilt {
namespace {

struct Metric {
  std::string_view name;
  Json (*value)(const StepMetrics&);
};

// ISO 8601 in UTC with microseconds.
std::string timestamp() {
  using namespace std::chrono;
  const auto now = time_point_cast<microseconds>(system_clock::now());
  const std::time_t seconds = system_clock::to_time_t(now);
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  char text[40];
  const auto length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
  const auto micros = now.time_since_epoch().count() % 1'000'000;
  std::string fraction = std::to_string(1'000'000 + micros);
  fraction[0] = '.';
  return std::string(text, length) + fraction + "Z";
}

constexpr Metric metrics_table[] = {
    // InstructLab's names and meanings.
    {"epoch", [](const StepMetrics& m) { return Json(m.epoch); }},
    {"step", [](const StepMetrics& m) { return Json(m.step); }},
    {"rank", [](const StepMetrics&) { return Json(0); }},
    {"overall_throughput", [](const StepMetrics& m) { return finite_or_null(m.samples_per_second()); }},
    {"lr", [](const StepMetrics& m) { return finite_or_null(m.lr); }},
    {"num_loss_counted_tokens", [](const StepMetrics& m) { return Json(m.num_loss_counted_tokens); }},
    {"num_tokens_rank0", [](const StepMetrics& m) { return Json(m.num_tokens); }},
    {"batch_size", [](const StepMetrics& m) { return Json(m.batch_size); }},
    {"num_minibatches", [](const StepMetrics& m) { return Json(m.num_minibatches); }},
    {"avg_loss", [](const StepMetrics& m) { return finite_or_null(m.loss); }},
    {"samples_seen", [](const StepMetrics& m) { return Json(m.samples_seen); }},
    {"gradnorm", [](const StepMetrics& m) { return finite_or_null(m.grad_norm); }},
    {"total_samples", [](const StepMetrics& m) { return Json(m.total_samples); }},
    {"num_epoch_steps", [](const StepMetrics& m) { return Json(m.num_epoch_steps); }},
    {"timestamp", [](const StepMetrics&) { return Json(timestamp()); }},
    // libilt's own.
    {"loss", [](const StepMetrics& m) { return finite_or_null(m.loss); }},
    {"z_loss", [](const StepMetrics& m) { return finite_or_null(m.z_loss); }},
    {"router_loss", [](const StepMetrics& m) { return finite_or_null(m.router_loss); }},
    {"skipped_steps", [](const StepMetrics& m) { return Json(m.skipped_steps); }},
    {"step_total", [](const StepMetrics& m) { return Json(m.step_total); }},
    {"tokens_seen", [](const StepMetrics& m) { return Json(m.tokens_seen); }},
    {"tokens_per_second", [](const StepMetrics& m) { return finite_or_null(m.tokens_per_second()); }},
    {"step_seconds", [](const StepMetrics& m) { return finite_or_null(m.step_seconds); }},
    {"seconds_data", [](const StepMetrics& m) { return finite_or_null(m.seconds_data); }},
    {"seconds_forward_backward", [](const StepMetrics& m) { return finite_or_null(m.seconds_forward_backward); }},
    {"seconds_optimizer", [](const StepMetrics& m) { return finite_or_null(m.seconds_optimizer); }},
    {"peak_host_bytes", [](const StepMetrics& m) { return Json(m.peak_host_bytes); }},
};

}  // namespace

Json metrics_record(const StepMetrics& metrics) {
  Json record = Json::object();
  for (const auto& [name, value] : metrics_table) record[std::string(name)] = value(metrics);
  return record;
}

Json validation_record(const StepMetrics& metrics) {
  return {{"val_loss", finite_or_null(metrics.val_loss)},
          {"val_num_tokens", metrics.val_num_tokens},
          {"step", metrics.step},
          {"epoch", metrics.epoch},
          {"timestamp", timestamp()}};
}

}  // namespace ilt
