// What the tests of text and data share: golden files and folders that vanish.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/json.h"

namespace ilt::test {

namespace fs = std::filesystem;

inline fs::path data_folder() {
  return fs::path(ILT_TEST_DATA) / "text";
}

inline Json golden(const std::string& name) {
  std::ifstream file(data_folder() / name);
  return Json::parse(std::string(std::istreambuf_iterator<char>(file), {}));
}

// An empty folder for the time of a test.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (fs::temp_directory_path() / "ilt-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = pattern;
  }
  ~ScratchFolder() { fs::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const fs::path& path() const { return path_; }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return (path_ / name).string();
  }

 private:
  fs::path path_;
};

}  // namespace ilt::test
