// A folder's lock: one holder at a time, free again when it goes.
#include "base/folder_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"

namespace ilt {
namespace {

TEST(FolderLockTest, HasOneHolder) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("ilt_lock_{}", ::getpid());
  {
    const FolderLock first(folder);
    EXPECT_THAT([&] { const FolderLock second(folder); },
                testing::ThrowsMessage<Error>(testing::HasSubstr(folder.string())));
  }
  const FolderLock third(folder);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace ilt
