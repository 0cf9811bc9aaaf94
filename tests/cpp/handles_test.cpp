// Handles that move, errors, options, tokens that cancel, and the library itself.
#include <memory>
#include <set>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "support.h"

namespace {

using ilt_test::expect_error;
using ilt_test::tiny_config;

template <typename T>
constexpr bool moves_only = std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T> &&
                            !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T>;
static_assert(moves_only<ilt::Config> && moves_only<ilt::Tokenizer> && moves_only<ilt::Dataset>);
static_assert(moves_only<ilt::Batch> && moves_only<ilt::Session>);
static_assert(std::is_nothrow_copy_constructible_v<ilt::CancelToken> &&
              std::is_nothrow_move_constructible_v<ilt::CancelToken>);
static_assert(std::is_nothrow_copy_constructible_v<ilt::Error>);

TEST(Config, HoldsOptions) {
  ilt::Config config = tiny_config();
  config.validate();
  EXPECT_EQ(config.get("effective_batch_size"), "2");
  const ilt::Config same = ilt::Config::from_json(config.to_json());
  EXPECT_EQ(same.to_json(), config.to_json());
  EXPECT_NE(config.memory_estimate_json().find("\"total\""), std::string::npos);
}

TEST(Config, NamesWhatIsWrong) {
  ilt::Config config;
  const ilt::Error error = expect_error([&] { config.set("learning_rat", "1"); }, ILT_ERR_CONFIG, "learning_rat");
  EXPECT_STREQ(error.status_name(), "ILT_ERR_CONFIG");
  EXPECT_NE(error.detail_json().find("\"learning_rate\""), std::string::npos) << error.detail_json();
  expect_error([&] { config.validate(); }, ILT_ERR_CONFIG, "model_path");
  expect_error([] { ilt::Config::from_json("{"); }, ILT_ERR_FORMAT, "");
}

TEST(Handle, ThatWasMovedFromIsRefused) {
  ilt::Config config = tiny_config();
  ilt_config* const handle = config.c();
  ilt::Config other = std::move(config);
  EXPECT_EQ(other.c(), handle);
  EXPECT_EQ(config.c(), nullptr);  // NOLINT(bugprone-use-after-move): what is tested
  expect_error([&] { config.set("seed", "1"); }, ILT_ERR_INVALID_ARGUMENT, "NULL");
  config = std::move(other);
  EXPECT_EQ(config.c(), handle);
}

TEST(Session, TellsWhatIsMissing) {
  ilt::Config config = tiny_config();
  config.set("model_path", "/no/such/model");
  expect_error([&] { ilt::Session session(config); }, ILT_ERR_NOT_FOUND, "/no/such/model");
}

TEST(CancelToken, IsOneInAllCopies) {
  ilt::CancelToken token, other;
  ilt::CancelToken copy = token;
  EXPECT_EQ(copy.c(), token.c());
  copy.cancel();
  EXPECT_TRUE(token.is_cancelled());
  EXPECT_FALSE(other.is_cancelled());
  other = copy;
  copy = ilt::CancelToken::none();
  EXPECT_TRUE(other.is_cancelled());
  EXPECT_EQ(copy.c(), nullptr);
  EXPECT_FALSE(copy.is_cancelled());
  copy = ilt::CancelToken(copy);
  EXPECT_EQ(copy.c(), nullptr);
}

TEST(Library, DescribesItself) {
  EXPECT_EQ(ilt::abi_version(), static_cast<std::uint32_t>(ILT_ABI_VERSION));
  EXPECT_EQ(ilt::version_number() >> 16, ilt::abi_version() & 0xffffU);
  EXPECT_NE(ilt::build_info_json().find("\"" + ilt::version() + "\""), std::string::npos);
  EXPECT_NE(ilt::config_schema_json().find("\"learning_rate\""), std::string::npos);
  EXPECT_NE(ilt::model_families_json().find("\"LlamaForCausalLM\""), std::string::npos);
  EXPECT_FALSE(ilt::has_feature("flying"));
  const std::vector<ilt::DeviceInfo> devices = ilt::devices();
  ASSERT_FALSE(devices.empty());
  EXPECT_EQ(devices[0].type, ILT_DEVICE_CPU);
  EXPECT_STREQ(devices[0].id, "cpu");
}

TEST(Log, ReachesTheFunctionUntilItIsTakenAway) {
  auto lines = std::make_shared<std::set<std::string>>();
  EXPECT_EQ(ilt::log_level(), ILT_LOG_OFF);
  ilt::log_set(
      [lines](ilt_log_level, std::string_view component, std::string_view message) {
        lines->insert(std::string(component) + ": " + std::string(message));
        throw std::runtime_error("dropped");
      },
      ILT_LOG_TRACE);
  EXPECT_EQ(ilt::log_level(), ILT_LOG_TRACE);
  ilt::Session session(tiny_config());
  EXPECT_FALSE(lines->empty());
  EXPECT_EQ(lines.use_count(), 2);
  ilt::log_level_set(ILT_LOG_OFF);
  EXPECT_EQ(ilt::log_level(), ILT_LOG_OFF);
  ilt::log_set({});
  EXPECT_EQ(lines.use_count(), 1) << "the function has not been destroyed";
  expect_error([&] { ilt::log_set([lines](auto...) {}, 99); }, ILT_ERR_INVALID_ARGUMENT, "level");
  EXPECT_EQ(lines.use_count(), 1) << "a function that was refused has not been destroyed";
}

}  // namespace
