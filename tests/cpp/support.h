// What the tests of ilt.hpp share: a configuration of the tiny model, a folder for files, a check of what is thrown.
#ifndef ILT_TESTS_CPP_SUPPORT_H_
#define ILT_TESTS_CPP_SUPPORT_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <ilt.hpp>
#include <string>
#include <utility>

namespace ilt_test {

// Trains the tiny model on one thread in four steps, on its data or on what the program gives.
inline ilt::Config tiny_config(bool with_data = true) {
  ilt::Config config;
  config.set("model_path", ILT_TINY_MODEL).set("num_threads", "1").set("num_epochs", "2").set("learning_rate", "1e-3");
  config.set("effective_batch_size", "2").set("max_seq_len", "128").set("max_batch_len", "256");
  if (with_data) config.set("data_path", ILT_TINY_MODEL ".jsonl");
  return config;
}

// An empty folder of the test's own, removed at its end.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("ilt_cpp_" + name())) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string operator/(const std::string& file) const { return (path_ / file).string(); }

 private:
  static std::string name() {
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    return std::string(test->test_suite_name()) + "_" + test->name();
  }
  std::filesystem::path path_;
};

// The call must throw an ilt::Error of that status, whose message holds `part`; it is returned.
template <typename F>
ilt::Error expect_error(F&& call, ilt_status status, const std::string& part) {
  try {
    std::forward<F>(call)();
  } catch (const ilt::Error& error) {
    EXPECT_EQ(error.status(), status) << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    return error;
  }
  ADD_FAILURE() << "nothing was thrown, expected " << ilt_status_name(status);
  return ilt::Error(ILT_OK, "", "");
}

}  // namespace ilt_test

#endif  // ILT_TESTS_CPP_SUPPORT_H_
