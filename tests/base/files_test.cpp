// Files: errors that name path and reason, maps, and folders that appear whole or not at all.
#include "base/files.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
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
    StagedFolder staged(folder / "model", "mark");
    write_file(staged.path() / "x", "1");
    EXPECT_FALSE(fs::exists(folder / "model"));
    staged.publish();
  }
  EXPECT_EQ(names(), std::vector<std::string>{"model"});
  {
    StagedFolder staged(folder / "other", "mark");
    write_file(staged.path() / "x", "1");
  }
  EXPECT_EQ(names(), std::vector<std::string>{"model"});
}

TEST_F(Files, PublishingReplacesAnOldFolder) {
  fs::create_directories(folder / "model");
  write_file(folder / "model" / "old", "1");
  write_file(folder / "model" / "mark", "");
  StagedFolder staged(folder / "model" / "", "mark");
  write_file(staged.path() / "new", "2");
  EXPECT_TRUE(fs::exists(folder / "model" / "old"));
  staged.publish();
  EXPECT_EQ(names(), std::vector<std::string>{"model"});
  EXPECT_FALSE(fs::exists(folder / "model" / "old"));
  EXPECT_EQ(read_file(folder / "model" / "new"), "2");
}

TEST_F(Files, AFileInTheWayIsAnError) {
  write_file(folder / "model", "x");
  EXPECT_THAT(error_of([&] { StagedFolder staged(folder / "model", "mark"); }).what(),
              HasSubstr("a file of that name"));
}

TEST_F(Files, ReplacesNeitherForeignFoldersNorTheWorkingFolder) {
  write_file(folder / "notes.txt", "mine");
  const auto foreign = error_of([&] { StagedFolder staged(folder, "mark"); });
  EXPECT_EQ(foreign.status(), Status::invalid_argument);
  EXPECT_THAT(foreign.what(), HasSubstr("is not empty and holds no mark"));
  write_file(folder / "mark", "");
  EXPECT_NO_THROW(require_replaceable(folder, "mark"));
  const auto before = fs::current_path();
  fs::create_directories(folder / "below");
  fs::current_path(folder / "below");
  for (const char* path : {".", "..", "../", "../below"})
    EXPECT_THAT(error_of([&] { StagedFolder staged(path, "mark"); }).what(), HasSubstr("works in")) << path;
  fs::current_path(before);
  EXPECT_EQ(names(), (std::vector<std::string>{"below", "mark", "notes.txt"}));
}

TEST_F(Files, StagingOfDeadProcessesIsRemoved) {
  StagedFolder mine(folder / "mine", "mark");
  fs::create_directories(folder / "a.tmp-elsewhere-1-0");
  fs::create_directories(folder / "notes.tmp-1");
  const pid_t child = ::fork();
  if (child == 0) {
    new StagedFolder(folder / "dead", "mark");
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(names().size(), 4u);
  remove_abandoned_staging(folder);
  EXPECT_EQ(names(), (std::vector<std::string>{"a.tmp-elsewhere-1-0", mine.path().filename(), "notes.tmp-1"}));
}

TEST_F(Files, ExistenceIsTrueFalseOrAnError) {
  write_file(folder / "file", "");
  EXPECT_TRUE(file_exists(folder / "file"));
  EXPECT_FALSE(is_folder(folder / "file"));
  EXPECT_TRUE(is_folder(folder));
  EXPECT_FALSE(file_exists(folder / "none"));
  EXPECT_FALSE(file_exists(folder / "file" / "below"));
  fs::create_symlink("nowhere", folder / "dangling");
  fs::create_symlink("loop", folder / "loop");
  EXPECT_THAT(error_of([&] { file_exists(folder / "dangling"); }).what(), HasSubstr("a link to something"));
  EXPECT_THAT(error_of([&] { file_exists(folder / "loop"); }).what(), HasSubstr("symbolic links"));
  EXPECT_EQ(error_of([&] { file_exists(folder / std::string(5000, 'x')); }).status(), Status::io);
  EXPECT_EQ(error_of([&] { folder_entries(folder / "none"); }).status(), Status::not_found);
}

TEST_F(Files, PipesAreRefusedNotWaitedFor) {
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(error_of([&] { read_file(folder / "pipe"); }).what(), HasSubstr("a device or a pipe"));
  EXPECT_THAT(error_of([&] { MappedFile map(folder / "pipe"); }).what(), HasSubstr("a device or a pipe"));
}

}  // namespace
}  // namespace ilt
