// Stores of checkpoints: names, retention, what is another run's, and what a kill leaves.
#include "checkpoint/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/error.h"
#include "base/files.h"
#include "base/staging.h"
#include "checkpoint/manifest.h"

namespace ilt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class StoreTest : public testing::Test {
 protected:
  void TearDown() override { fs::remove_all(root_); }

  static void write(const fs::path& folder) {
    fs::create_directories(folder);
    write_file(folder / "state.json", "{}");
    write_manifest(folder, {.info = {{"kind", "test"}}, .files = {}});
  }
  static std::vector<std::int64_t> numbers(const CheckpointStore& store) {
    std::vector<std::int64_t> found;
    for (const StoredCheckpoint& c : store.list()) found.push_back(c.number);
    return found;
  }
  const fs::path root_ = fs::temp_directory_path() / fmt::format("ilt_store_{}", ::getpid());
};

TEST_F(StoreTest, TakesOnlyFoldersThatItNames) {
  auto store = CheckpointStore::of_states(root_);
  EXPECT_THAT(store.list(), IsEmpty());
  for (const char* name : {"step_9", "step_10", "step_010", "step_-1", "step_", "step_3x", "other"})
    fs::create_directories(root_ / "full_state" / name);
  std::ofstream(root_ / "full_state" / "step_7") << "a file";
  EXPECT_THAT(numbers(store), ElementsAre(9, 10));
}

TEST_F(StoreTest, KeepsLastEveryAndBest) {
  auto store = CheckpointStore::of_states(root_, {.last = 2, .every = 4});
  for (int step = 1; step <= 11; ++step) store.save(step, step == 5, write);
  EXPECT_THAT(numbers(store), ElementsAre(4, 5, 8, 10, 11));
  EXPECT_EQ(read_file(root_ / "full_state/LATEST"), "step_11\n");
  EXPECT_EQ(read_file(root_ / "full_state/BEST"), "step_5\n");
  store.set_best(10);  // then 5 is kept no longer
  EXPECT_THAT(numbers(store), ElementsAre(4, 8, 10, 11));
  store.save(12, false, write);
  store.save(13, false, write);
  EXPECT_THAT(numbers(store), ElementsAre(4, 8, 10, 12, 13));
  store.set_best(99);  // is not there
  EXPECT_FALSE(fs::exists(root_ / "full_state/BEST"));
}

TEST_F(StoreTest, SparesWhatIsLaterOrAnotherRuns) {
  auto store = CheckpointStore::of_models(root_, {.last = 1});
  for (const int samples : {4, 8, 100}) write(root_ / "hf_format" / fmt::format("samples_{}", samples));
  store.save(12, false, write);
  EXPECT_THAT(numbers(store), ElementsAre(12, 100));
  auto other = CheckpointStore::of_models(root_, {.last = 1});
  other.spare_what_is_there();
  other.save(12, false, write);  // its own now
  other.save(16, false, write);
  EXPECT_THAT(numbers(other), ElementsAre(16, 100));
}

TEST_F(StoreTest, TheNewestStateIsOneThatIsWhole) {
  auto store = CheckpointStore::of_states(root_);
  EXPECT_FALSE(newest_valid_state(store));
  store.save(1, false, write);
  store.save(2, false, write);
  fs::remove(root_ / "full_state/step_2" / manifest_file);
  EXPECT_EQ(newest_valid_state(store)->number, 1);
}

// A folder whose removal was cut off has no checkpoint's name, and goes with the next run.
TEST_F(StoreTest, WhatAKillLeavesIsRemoved) {
  const fs::path folder = root_ / "full_state";
  const std::string of_the_dead = staging_path(folder / "step_3").filename().string();
  const std::string pid = fmt::format("-{}-", ::getpid());
  const auto dead = [&](std::string name) { return name.replace(name.rfind(pid), pid.size(), "-4194305-"); };
  fs::create_directories(folder / dead(of_the_dead) / "inside");
  std::ofstream(folder / dead(staging_path("LATEST").filename().string())) << "step_3";
  fs::create_directories(folder / "mine.tmp-elsewhere-1-1");
  remove_abandoned_staging(folder);
  EXPECT_THAT(folder_entries(folder), ElementsAre(folder / "mine.tmp-elsewhere-1-1"));
}

}  // namespace
}  // namespace ilt
