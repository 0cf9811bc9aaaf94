// Learning rates against transformers' schedules (tests/data/optim/schedule.json) and at their ends.
#include "optim/schedule.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"
#include "base/files.h"

namespace ilt {
namespace {

TEST(Schedule, EqualsTransformers) {
  const fs::path path = fs::path(ILT_TEST_DATA) / "optim" / "schedule.json";
  const Json golden = parse_json(read_file(path), path.string());
  ASSERT_GT(golden["cases"].size(), 40U);
  for (const Json& c : golden["cases"]) {
    Schedule schedule{parse_schedule(c["kind"].get<std::string>()), c["base_lr"].get<double>(),
                      c["warmup"].get<std::int64_t>(), c["total"].get<std::int64_t>()};
    schedule.cycles = c.value("cycles", schedule.cycles);
    schedule.end_lr = c.value("end_lr", schedule.end_lr);
    schedule.power = c.value("power", schedule.power);
    schedule.decay_steps = c.value("decay_steps", schedule.decay_steps);
    for (std::size_t step = 0; step < c["lr"].size(); ++step)
      EXPECT_NEAR(learning_rate(schedule, static_cast<std::int64_t>(step)), c["lr"][step].get<double>(), 1e-18)
          << c["kind"] << " warmup " << c["warmup"] << " total " << c["total"] << " step " << step;
  }
}

TEST(Schedule, WarmupStartsAtZeroAndReachesTheBaseRate) {
  for (const char* name : {"constant_with_warmup", "linear", "cosine", "cosine_with_restarts", "polynomial"}) {
    const Schedule schedule{parse_schedule(name), 0.5, 4, 10};
    EXPECT_EQ(learning_rate(schedule, 0), 0.0) << name;
    EXPECT_EQ(learning_rate(schedule, 4), 0.5) << name;
  }
}

TEST(Schedule, UnknownNameListsTheKnown) {
  try {
    parse_schedule("cosin");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.status(), Status::config);
    EXPECT_NE(std::string(e.what()).find("constant_with_warmup"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("did you mean 'cosine'"), std::string::npos);
  }
}

}  // namespace
}  // namespace ilt
