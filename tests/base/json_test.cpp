// JSON: places in errors, the depth limit, one-line output.
#include "base/json.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace ilt {
namespace {

using testing::HasSubstr;

std::string message_of(std::string_view text) {
  try {
    parse_json(text, "a.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::format);
    return error.what();
  }
  return "no error";
}

TEST(Json, KeepsTheOrderOfKeys) {
  EXPECT_EQ(to_line(parse_json(R"({"b": 1, "a": [2]})", "x")), R"({"b":1,"a":[2]})");
}

TEST(Json, NamesSourceLineAndColumn) {
  EXPECT_THAT(message_of("{\n  \"a\": tru,\n}"), HasSubstr("a.json: not valid JSON at line 2, column 11"));
  EXPECT_THAT(message_of(""), HasSubstr("line 1, column 1"));
  EXPECT_THAT(message_of("{} x"), HasSubstr("line 1, column 4"));
  EXPECT_THAT(message_of("[1e999]"), HasSubstr("a.json: not valid JSON"));
  EXPECT_THAT(message_of("\"\xff\""), HasSubstr("a.json: not valid JSON"));
}

TEST(Json, LimitsDepthButNotBracketsInStrings) {
  EXPECT_NO_THROW(parse_json(std::string(128, '[') + std::string(128, ']'), "x"));
  EXPECT_THAT(message_of(std::string(1'000'000, '[')), HasSubstr("deeper than 128"));
  EXPECT_NO_THROW(parse_json('"' + std::string(500, '[') + R"(\"[")", "x"));
}

TEST(Json, AZeroByteIsNoEnd) {
  EXPECT_THAT(message_of(std::string_view("{}\0garbage", 10)), HasSubstr("line 1, column 3: byte 3 is zero"));
  EXPECT_THAT(message_of(std::string_view("\0", 1)), HasSubstr("byte 1 is zero"));
}

TEST(Json, LimitsKeysAndRefusesRepeatedOnesIfAsked) {
  EXPECT_EQ(to_line(parse_json(R"({"a": 1, "b": 2, "a": {"c": []}})", "x")), R"({"a":{"c":[]},"b":2})");
  EXPECT_THAT([] { parse_json(R"({"a": 1, "b": [{"c": 1}], "a": 2})", "x", {.repeated_keys = false}); },
              testing::ThrowsMessage<Error>(HasSubstr("x: the key \"a\" is given twice")));
  EXPECT_NO_THROW(parse_json(R"([{"a": 1}, {"a": 2}])", "x", {.repeated_keys = false}));
  EXPECT_THAT([] { parse_json(R"({"a": 1, "b": 2})", "x", {.keys = 1}); },
              testing::ThrowsMessage<Error>(HasSubstr("more than 1 keys")));
}

TEST(Json, ManyKeysTakeLinearTime) {
  std::string text = "{";
  for (int i = 0; i < 300'000; ++i) text += fmt::format("\"{}\":{},", i, i);
  const Json value = parse_json(text + "\"7\":null}", "x");
  EXPECT_EQ(value.size(), 300'000u);
  EXPECT_TRUE(value["7"].is_null());
}

TEST(Json, LineIsAsciiAndSurvivesBadText) {
  EXPECT_EQ(to_line("\xc3\xa4\n"), R"("\u00e4\n")");
  EXPECT_EQ(to_line("\xff"), R"("\ufffd")");
}

}  // namespace
}  // namespace ilt
