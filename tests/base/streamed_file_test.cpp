// Streamed files: the bytes that were given, whatever the pieces, and errors that name the file.
#include "base/streamed_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "base/error.h"
#include "base/files.h"
#include "base/rng.h"

namespace ilt {
namespace {

class StreamedFileTest : public testing::Test {
 protected:
  void TearDown() override { fs::remove(path_); }
  const fs::path path_ = fs::temp_directory_path() / fmt::format("ilt_streamed_{}", ::getpid());
};

std::string random_bytes(std::size_t count) {
  SplitMix64 rng(count);
  std::string bytes(count, '\0');
  for (char& c : bytes) c = static_cast<char>(rng.next());
  return bytes;
}

TEST_F(StreamedFileTest, HoldsWhatWasWrittenInPiecesOfAnySize) {
  SplitMix64 rng(1);
  for (const std::size_t size : {0, 1, 4095, 4096, 4097, 8192, 100'000, 1'048'576}) {
    const std::string bytes = random_bytes(size);
    StreamedFile file(path_, 4096);
    for (std::size_t begin = 0; begin < size;) {
      const auto count = std::min<std::size_t>(size - begin, 1 + rng.below(9000));
      file.write(std::as_bytes(std::span(bytes).subspan(begin, count)));
      begin += count;
      EXPECT_EQ(file.offset(), begin);
    }
    file.close();
    EXPECT_TRUE(read_file(path_) == bytes) << size;
  }
}

TEST_F(StreamedFileTest, AFileThatWasNotClosedIsNoFault) {
  const std::string bytes = random_bytes(50'000);
  StreamedFile(path_, 4096).write(std::as_bytes(std::span(bytes)));
}

// A limit of the process makes writes fail in the middle of the file, after a short one.
TEST_F(StreamedFileTest, AWriteThatFailsNamesTheFile) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{.rlim_cur = 10'000, .rlim_max = before.rlim_max};
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string bytes = random_bytes(50'000);
  EXPECT_THAT(
      [&] {
        StreamedFile file(path_, 4096);
        file.write(std::as_bytes(std::span(bytes)));
        file.close();
      },
      testing::ThrowsMessage<Error>(testing::HasSubstr(path_.string())));
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_THROW(StreamedFile("/no/such/folder/file"), Error);
}

}  // namespace
}  // namespace ilt
