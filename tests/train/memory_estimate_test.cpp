// The estimate of a run's memory against what the run allocates.
#include "train/memory_estimate.h"

#include <c10/core/Allocator.h>

#include "train/session_fixture.h"

namespace ilt {
namespace {

// Counts what libtorch allocates on this thread while it lives.
class Meter : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void* /*ptr*/, std::int64_t size, std::size_t /*total*/, std::size_t /*reserved*/,
                         c10::Device /*device*/) override {
    now_ += size;
    peak_ = std::max(peak_, now_);
  }
  bool memoryProfilingEnabled() const override { return true; }

  std::int64_t now() const { return now_; }
  std::int64_t peak() const { return peak_; }

 private:
  std::int64_t now_ = 0, peak_ = 0;
};

class MemoryEstimateTest : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    config_.ckpt_output_dir.clear();
    config_.max_batch_len = 100;  // less than the four samples of a step have
    config_.max_seq_len = 64;
    config_.num_threads = 1;
  }
};

// On models as tiny as this one small temporaries weigh more than elsewhere.
TEST_F(MemoryEstimateTest, IsWhatARunAllocates) {
  for (const std::string optimizer : {"adamw", "adamw_8bit", "lion", "muon", "sgd", "adafactor"}) {
    config_.optimizer = optimizer;
    const MemoryEstimate estimate = estimate_memory(config_);
    const auto meter = std::make_shared<Meter>();
    const c10::DebugInfoGuard measuring(c10::DebugInfoKind::PROFILER_STATE, meter);
    Session session(config_);
    const auto resident = static_cast<double>(meter->now());
    const auto expected = static_cast<double>(estimate.total() - estimate.loss);
    EXPECT_NEAR(resident / expected, 1, 0.02) << optimizer;
    session.step();
    const auto peak = static_cast<double>(meter->peak());
    // Not every token of the micro-batches is a target.
    EXPECT_GT(peak / static_cast<double>(estimate.total()), 0.85) << optimizer;
    EXPECT_LT(peak / static_cast<double>(estimate.total()), 1.05) << optimizer;
  }
}

TEST_F(MemoryEstimateTest, TellsTheParts) {
  const std::int64_t values = static_cast<std::int64_t>(Session(config_).model_info()["parameters"]);
  MemoryEstimate all = estimate_memory(config_);
  EXPECT_EQ(all.weights, 4 * values);
  EXPECT_EQ(all.gradients, 4 * values);
  EXPECT_EQ(all.optimizer, 8 * values);
  EXPECT_EQ(all.tokens, 100);
  config_.max_batch_len = 200;
  EXPECT_NEAR(static_cast<double>(estimate_memory(config_).activations) / static_cast<double>(all.activations), 2,
              0.01);
  config_.freeze = {"*embed*", "*lm_head*"};
  EXPECT_LT(estimate_memory(config_).gradients, all.gradients);
  config_.optimizer = "lion";
  EXPECT_EQ(estimate_memory(config_).optimizer, estimate_memory(config_).gradients);
}

TEST_F(MemoryEstimateTest, NeedsToKnowTheMicroBatch) {
  config_.max_batch_len = 0;
  EXPECT_THAT([&] { estimate_memory(config_); }, testing::ThrowsMessage<Error>(testing::HasSubstr("max_batch_len")));
  config_.model_path = "/no/such/model";
  config_.max_batch_len = 10;
  EXPECT_THROW(estimate_memory(config_), Error);
}

}  // namespace
}  // namespace ilt
