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

TEST(Json, LineIsAsciiAndSurvivesBadText) {
  EXPECT_EQ(to_line("\xc3\xa4\n"), R"("\u00e4\n")");
  EXPECT_EQ(to_line("\xff"), R"("\ufffd")");
}

}  // namespace
}  // namespace ilt
