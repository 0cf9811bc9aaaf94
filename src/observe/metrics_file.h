// The metrics file: JSON Lines that are valid at every moment, also after a kill.
#pragma once

#include <filesystem>

#include "base/json.h"
#include "observe/metrics.h"

namespace ilt {

// Its name under ckpt_output_dir, as InstructLab's users know it.
inline constexpr const char* metrics_file_name = "training_params_and_metrics_global0.jsonl";

class MetricsFile {
 public:
  // Opens for appending; the parameters are the run's first line. Creates missing folders. Throws io.
  MetricsFile(const std::filesystem::path& path, const Json& parameters);
  ~MetricsFile();
  MetricsFile(const MetricsFile&) = delete;
  MetricsFile& operator=(const MetricsFile&) = delete;

  // One line, one write: no reader sees half of it.
  void append(const Json& record);
  void append(const StepMetrics& metrics) { append(metrics_record(metrics)); }

 private:
  std::filesystem::path path_;
  int fd_ = -1;
};

}  // namespace ilt
