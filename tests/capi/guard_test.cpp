// The guard: what becomes of each exception, and of a session whose device fails.
#include "capi/guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <system_error>

namespace ilt::capi {
namespace {

using testing::HasSubstr;

struct Outcome {
  ilt_status status;
  std::string message;
};

Outcome outcome_of(const std::function<ilt_status(ilt_error**)>& call) {
  ilt_error* err = nullptr;
  const ilt_status status = call(&err);
  EXPECT_EQ(err == nullptr, status >= 0);
  Outcome outcome{status, ilt_error_message(err)};
  if (err != nullptr) {
    EXPECT_EQ(ilt_error_status(err), status);
    EXPECT_EQ(parse_json(ilt_error_detail_json(err), "detail").is_object(), true);
  }
  ilt_error_free(err);
  return outcome;
}

template <typename Thrown>
Outcome outcome_of_throwing(Thrown thrown) {
  return outcome_of([&](ilt_error** err) { return guard(err, [&]() -> void { throw thrown; }); });
}

c10::SourceLocation here() {
  return {__func__, __FILE__, __LINE__};
}

TEST(Guard, EachExceptionHasItsStatus) {
  EXPECT_EQ(outcome_of_throwing(Stopped()).status, ILT_STOPPED);
  EXPECT_EQ(outcome_of_throwing(Error(Status::data, "a record")).status, ILT_ERR_DATA);
  EXPECT_EQ(outcome_of_throwing(Error(Status::data, "two\nlines")).message, "two lines");
  EXPECT_EQ(outcome_of_throwing(std::bad_alloc()).status, ILT_ERR_OOM_HOST);
  EXPECT_EQ(outcome_of_throwing(std::length_error("vector")).status, ILT_ERR_OOM_HOST);
  EXPECT_EQ(
      outcome_of_throwing(std::filesystem::filesystem_error("x", std::error_code(ENOSPC, std::generic_category())))
          .status,
      ILT_ERR_IO);
  const auto no_thread = std::make_error_code(std::errc::resource_unavailable_try_again);
  EXPECT_THAT(outcome_of_throwing(std::system_error(no_thread)).message, HasSubstr("num_threads"));
  EXPECT_EQ(outcome_of_throwing(std::runtime_error("odd")).status, ILT_ERR_INTERNAL);
  EXPECT_EQ(outcome_of_throwing(42).status, ILT_ERR_INTERNAL);
}

TEST(Guard, LibtorchsExceptionsToo) {
  EXPECT_EQ(outcome_of_throwing(c10::OutOfMemoryError(here(), "no memory")).status, ILT_ERR_OOM_DEVICE);
  EXPECT_EQ(outcome_of_throwing(c10::Error(here(), "DefaultCPUAllocator: can't allocate memory")).status,
            ILT_ERR_OOM_HOST);
  EXPECT_EQ(outcome_of_throwing(c10::NotImplementedError(here(), "no kernel")).status, ILT_ERR_UNSUPPORTED);
  EXPECT_EQ(outcome_of_throwing(c10::AcceleratorError(here(), 700, "illegal access")).status, ILT_ERR_DEVICE);
  EXPECT_EQ(outcome_of_throwing(c10::Error(here(), "shapes")).status, ILT_ERR_INTERNAL);
}

TEST(Guard, WithoutAnErrorToFillTheStatusTells) {
  EXPECT_EQ(guard(nullptr, []() -> void { throw std::bad_alloc(); }), ILT_ERR_OOM_HOST);
}

class SessionGuard : public testing::Test {
 protected:
  static Config config() {
    Config config;
    config.model_path = std::filesystem::path(ILT_TEST_DATA) / "llama" / "tied";
    return config;
  }

  Outcome use_session(Access access, const std::function<void()>& work) {
    return outcome_of([&](ilt_error** err) { return guard(&session_, access, err, work); });
  }

  ilt_session session_{config()};
};

TEST_F(SessionGuard, ADeviceThatFailsLosesTheSession) {
  EXPECT_EQ(use_session(Access::exclusive, [] { throw std::runtime_error("no fault of a device"); }).status,
            ILT_ERR_INTERNAL);
  EXPECT_EQ(ilt_session_is_poisoned(&session_), 0);
  EXPECT_EQ(use_session(Access::exclusive, [] { throw c10::AcceleratorError(here(), 700, "illegal access"); }).status,
            ILT_ERR_DEVICE);
  EXPECT_EQ(ilt_session_is_poisoned(&session_), 1);
  bool ran = false;
  const Outcome later = use_session(Access::nested, [&] { ran = true; });
  EXPECT_EQ(later.status, ILT_ERR_DEVICE);
  EXPECT_THAT(later.message, HasSubstr("of no more use"));
  EXPECT_THAT(later.message, HasSubstr("illegal access"));
  EXPECT_FALSE(ran);
  ilt_metrics metrics = ILT_METRICS_INIT;
  EXPECT_EQ(ilt_metrics_get(&session_, &metrics, nullptr), ILT_OK);
  EXPECT_EQ(ilt_session_set_lr(&session_, 1e-3, nullptr), ILT_OK);
}

TEST_F(SessionGuard, OneCallAtATimeAndNestedOnesOnItsThread) {
  const Outcome outer = use_session(Access::exclusive, [&] {
    EXPECT_EQ(use_session(Access::exclusive, [] {}).status, ILT_ERR_INVALID_STATE);
    EXPECT_EQ(use_session(Access::nested, [] {}).status, ILT_OK);
    std::thread([&] {
      EXPECT_EQ(use_session(Access::nested, [] {}).status, ILT_ERR_BUSY);
      EXPECT_EQ(use_session(Access::exclusive, [] {}).status, ILT_ERR_BUSY);
    }).join();
  });
  EXPECT_EQ(outer.status, ILT_OK);
  EXPECT_EQ(use_session(Access::exclusive, [] {}).status, ILT_OK);  // also after the calls that were refused
}

}  // namespace
}  // namespace ilt::capi
