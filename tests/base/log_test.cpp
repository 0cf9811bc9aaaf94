// The log: silent without a sink, levels, whole lines, replacement.
#include "base/log.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ilt::log {
namespace {

TEST(Log, IsSilentWithoutASink) {
  set_sink({}, Level::trace);
  EXPECT_EQ(level(), Level::off);
  EXPECT_FALSE(enabled(Level::error));
  warn("base", "nobody hears {}", 1);
}

TEST(Log, HandsOverLevelComponentAndOneLine) {
  std::vector<std::string> lines;
  set_sink(
      [&](Level level, std::string_view component, std::string_view message) {
        lines.push_back(fmt::format("{} {} {}", static_cast<int>(level), component, message));
      },
      Level::info);
  debug("data", "not this");
  info("data", "two\nlines\n");
  warn("train", "{}", 5);
  set_level(Level::warn);
  info("data", "not this");
  set_sink({}, Level::off);
  warn("train", "not this");
  EXPECT_EQ(lines, (std::vector<std::string>{"2 data two lines", "3 train 5"}));
}

TEST(Log, SurvivesAThrowingSink) {
  set_sink([](auto...) { throw std::runtime_error("host"); }, Level::info);
  EXPECT_NO_THROW(info("x", "y"));
  set_sink({}, Level::off);
}

TEST(Log, OldSinkIsNotCalledAfterReplacement) {
  std::atomic<bool> stop{false};
  std::jthread writer([&] {
    while (!stop) info("x", "y");
  });
  for (int i = 0; i < 200; ++i) {
    auto alive = std::make_shared<std::atomic<bool>>(true);
    set_sink([alive](auto...) { ASSERT_TRUE(alive->load()); }, Level::info);
    set_sink({}, Level::off);
    alive->store(false);
  }
  stop = true;
}

}  // namespace
}  // namespace ilt::log
