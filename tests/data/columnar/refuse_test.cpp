// A build without Parquet and Arrow names the files that need them, and what to do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "data/byte_source.h"

namespace ilt {
namespace {

using testing::HasSubstr;

TEST(NoColumnar, SaysWhatToDo) {
  for (const char* name : {"snappy.parquet", "lz4.arrow", "stream.arrow"}) {
    try {
      open_bytes(fs::path(ILT_TEST_DATA) / "columnar/files" / name);
      ADD_FAILURE() << name << " was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::data);
      EXPECT_THAT(error.what(),
                  testing::AllOf(HasSubstr(name), HasSubstr("JSON Lines"), HasSubstr("-DILT_PARQUET=ON")));
    }
  }
}

}  // namespace
}  // namespace ilt
