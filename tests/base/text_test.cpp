// Text for messages: nearest words, shortened quotes, one clean line.
#include "base/text.h"

#include <gtest/gtest.h>

namespace ilt {
namespace {

TEST(Text, NamesTheNearestWordOnlyIfNear) {
  const std::vector<std::string> known = {"seed", "lr", "learning_rate"};
  EXPECT_EQ(nearest("sed", known), "seed");
  EXPECT_EQ(nearest("learning_rat", known), "learning_rate");
  EXPECT_EQ(nearest("fly", known), "");
  EXPECT_EQ(nearest("xy", known), "");
  EXPECT_EQ(nearest(std::string(1'000'000, 'x'), known), "");
  EXPECT_EQ(nearest_hint("sedd", known), " (did you mean 'seed'?)");
}

TEST(Text, ShortensBetweenCharacters) {
  EXPECT_EQ(shortened("abc", 3), "abc");
  EXPECT_EQ(shortened("abcd", 3), "abc...");
  EXPECT_EQ(shortened("ab\xc3\xa4", 3), "ab...");
}

TEST(Text, OneLineHasNothingThatATerminalObeys) {
  EXPECT_EQ(one_line("a\nb\tc\r\n"), "a b c");
  EXPECT_EQ(one_line("\x1b[2J\r\x7f"), "\\x1b[2J\\x0d\\x7f");
  EXPECT_EQ(one_line("\xc2\x9b"
                     "1m\xc2\xa0\xc3\x84"),
            "\\x9b"
            "1m\xc2\xa0\xc3\x84");
  EXPECT_EQ(one_line("\xff"), "\xef\xbf\xbd");
  EXPECT_LT(one_line(std::string(100'000, '9')).size(), 5000u);
}

}  // namespace
}  // namespace ilt
