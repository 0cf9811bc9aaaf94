// Metrics: the names in their order, what JSON cannot spell, and a file that is valid after a kill.
#include "observe/metrics.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <sstream>

#include "base/error.h"
#include "base/files.h"
#include "observe/memory.h"
#include "observe/metrics_file.h"

namespace ilt {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& item : object.items()) names.push_back(item.key());
  return names;
}

TEST(Metrics, NamesComeInOrderInstructLabsFirst) {
  EXPECT_THAT(
      keys(metrics_record({})),
      testing::ElementsAre("epoch", "step", "rank", "overall_throughput", "lr", "num_loss_counted_tokens",
                           "num_tokens_rank0", "batch_size", "num_minibatches", "avg_loss", "samples_seen", "gradnorm",
                           "total_samples", "num_epoch_steps", "timestamp", "loss", "z_loss", "router_loss",
                           "skipped_steps", "step_total", "tokens_seen", "tokens_per_second", "step_seconds",
                           "seconds_data", "seconds_forward_backward", "seconds_optimizer", "peak_host_bytes"));
}

TEST(Metrics, ValuesAndWhatIsNotFinite) {
  StepMetrics metrics;
  metrics.loss = std::nan("");
  metrics.grad_norm = INFINITY;
  metrics.batch_size = 8, metrics.num_tokens = 100, metrics.step_seconds = 2;
  const auto record = metrics_record(metrics);
  EXPECT_TRUE(record["avg_loss"].is_null());
  EXPECT_TRUE(record["gradnorm"].is_null());
  EXPECT_EQ(record["overall_throughput"], 4.0);
  EXPECT_EQ(record["tokens_per_second"], 50.0);
  EXPECT_THAT(record["timestamp"].get<std::string>(), testing::MatchesRegex("....-..-..T..:..:..\\.......Z"));
}

TEST(MetricsFile, AppendsWholeLinesAndMendsABrokenEnd) {
  const auto folder = fs::temp_directory_path() / ("ilt-metrics-" + std::to_string(::getpid()));
  const auto path = folder / "sub" / metrics_file_name;
  {
    MetricsFile(path, {{"seed", 1}}).append(StepMetrics{.step = 1});
  }
  {
    OutputFile broken(folder / "sub" / "x");
    broken.write("{\"step\": 1}\n{\"st");
    broken.close();
    MetricsFile file(folder / "sub" / "x", {{"seed", 2}});
  }
  std::istringstream lines(read_file(path));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, R"({"seed":1})");
  std::getline(lines, line);
  EXPECT_EQ(parse_json(line, "line")["step"], 1);
  EXPECT_EQ(read_file(folder / "sub" / "x"), "{\"step\": 1}\n{\"st\n{\"seed\":2}\n");
  fs::remove_all(folder);
}

TEST(MetricsFile, NamesThePathItCannotWrite) {
  try {
    MetricsFile file("/proc/no/file", Json::object());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::io);
    EXPECT_THAT(error.what(), testing::HasSubstr("/proc/no/file"));
  }
}

TEST(Memory, PeakIsKnown) {
  EXPECT_GT(peak_host_bytes(), 1'000'000);
}

}  // namespace
}  // namespace ilt
