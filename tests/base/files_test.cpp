// Files: errors that name path and reason, maps, and folders that appear whole or not at all.
#include "base/files.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.h"

namespace ilt {
namespace {

using testing::HasSubstr;

class Files : public testing::Test {
 protected:
  Files() : folder(fs::temp_directory_path() / ("ilt-files-" + std::to_string(::getpid()))) {
    fs::create_directories(folder);
  }
  ~Files() override { fs::remove_all(folder); }

  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder)) found.push_back(entry.path().filename());
    std::sort(found.begin(), found.end());
    return found;
  }

  fs::path folder;
};

template <typename Action>
Error error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  return {Status::ok, "no error"};
}

TEST_F(Files, WritesReadsAndMaps) {
  const auto path = folder / "a";
  write_file(path, "some\0bytes");
  EXPECT_EQ(read_file(path), "some");
  OutputFile out(path);
  out.write("12");
  out.write("345");
  EXPECT_EQ(out.offset(), 5u);
  out.close();
  MappedFile map(path);
  MappedFile moved(std::move(map));
  EXPECT_EQ(moved.bytes().size(), 5u);
  EXPECT_EQ(static_cast<char>(moved.bytes()[4]), '5');
  write_file(path, "");
  EXPECT_TRUE(MappedFile(path).bytes().empty());
}

TEST_F(Files, ErrorsNamePathAndReason) {
  const auto missing = error_of([&] { read_file(folder / "nope"); });
  EXPECT_EQ(missing.status(), Status::not_found);
  EXPECT_THAT(missing.what(), HasSubstr((folder / "nope").string()));
  EXPECT_EQ(missing.detail()["file"], (folder / "nope").string());
  EXPECT_THAT(error_of([&] { MappedFile map(folder); }).what(), HasSubstr("a folder, not a file"));
  EXPECT_EQ(error_of([&] { write_file(folder / "no" / "file", "x"); }).status(), Status::not_found);
}

TEST_F(Files, AFullDiskSaysSo) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const auto error = error_of([&] { write_file("/dev/full", "x"); });
  EXPECT_EQ(error.status(), Status::io);
  EXPECT_THAT(error.what(), HasSubstr("No space left on device"));
}

TEST_F(Files, ChecksFreeSpaceOfTheNearestParent) {
  EXPECT_NO_THROW(require_free_space(folder / "not" / "yet", 1));
  EXPECT_THAT(error_of([&] { require_free_space(folder / "not" / "yet", ~0ULL); }).what(),
              HasSubstr("not enough free"));
}

TEST_F(Files, AStagedFolderAppearsOnlyWhenPublished) {
  {
    StagedFolder staged(folder / "model");
    write_file(staged.path() / "x", "1");
    EXPECT_FALSE(fs::exists(folder / "model"));
    staged.publish();
  }
  EXPECT_EQ(names(), std::vector<std::string>{"model"});
  {
    StagedFolder staged(folder / "other");
    write_file(staged.path() / "x", "1");
  }
  EXPECT_EQ(names(), std::vector<std::string>{"model"});
}

TEST_F(Files, PublishingReplacesAnOldFolder) {
  fs::create_directories(folder / "model");
  write_file(folder / "model" / "old", "1");
  StagedFolder staged(folder / "model" / "");
  write_file(staged.path() / "new", "2");
  EXPECT_TRUE(fs::exists(folder / "model" / "old"));
  staged.publish();
  EXPECT_EQ(names(), std::vector<std::string>{"model"});
  EXPECT_FALSE(fs::exists(folder / "model" / "old"));
  EXPECT_EQ(read_file(folder / "model" / "new"), "2");
}

TEST_F(Files, AFileInTheWayIsAnError) {
  write_file(folder / "model", "x");
  EXPECT_THAT(error_of([&] { StagedFolder staged(folder / "model"); }).what(), HasSubstr("a file of that name"));
}

}  // namespace
}  // namespace ilt
