// The tokenizer against what Python's tokenizers gives.
#include "text/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/error.h"
#include "text/support.h"

namespace ilt {
namespace {

Tokenizer load() {
  return Tokenizer::load(test::data_folder() / "model");
}

TEST(Tokenizer, EqualsPython) {
  const Tokenizer tokenizer = load();
  for (const Json& one : test::golden("encode.json")) {
    const auto text = one["text"].get<std::string>();
    SCOPED_TRACE(text);
    const Encoding encoding = tokenizer.encode(text);
    EXPECT_EQ(encoding.ids, one["ids"].get<std::vector<std::int32_t>>());
    EXPECT_EQ(Json(encoding.offsets), one["offsets"]);
    EXPECT_EQ(tokenizer.decode(encoding.ids, false), one["decoded"]);
    EXPECT_EQ(tokenizer.decode(encoding.ids, true), one["decoded_plain"]);
  }
}

TEST(Tokenizer, KnowsItsVocabulary) {
  const Tokenizer tokenizer = load();
  EXPECT_EQ(tokenizer.token_id("<s>"), 1);
  EXPECT_EQ(tokenizer.token_id("no such token"), -1);
  EXPECT_EQ(tokenizer.eos_id(), tokenizer.token_id("</s>"));
  EXPECT_TRUE(tokenizer.is_special(tokenizer.token_id("<|im_end|>")));
  EXPECT_FALSE(tokenizer.is_special(tokenizer.token_id("</think>")));
  EXPECT_EQ(tokenizer.vocab_size(), tokenizer.token_id("</tool_call>") + 1);
  EXPECT_GE(tokenizer.longest_token(), std::string("<start_of_turn>").size());
}

TEST(Tokenizer, IgnoresSavedTruncation) {
  const test::ScratchFolder folder;
  Json json = test::golden("model/tokenizer.json");
  json["truncation"] = {{"direction", "Right"}, {"max_length", 2}, {"strategy", "LongestFirst"}, {"stride", 0}};
  folder.write("tokenizer.json", json.dump());
  const Tokenizer cutting = Tokenizer::load(folder.path());
  EXPECT_EQ(cutting.encode("Hello you, Hello you").ids, load().encode("Hello you, Hello you").ids);
  EXPECT_EQ(cutting.eos_id(), -1);
}

TEST(Tokenizer, SaysWhatIsWrong) {
  const test::ScratchFolder folder;
  try {
    folder.write("tokenizer.model", "x");
    Tokenizer::load(folder.path());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::not_found);
    EXPECT_THAT(error.what(), testing::HasSubstr("tokenizer.model"));
  }
  try {
    folder.write("tokenizer.json", "{\"model\": 3}");
    Tokenizer::load(folder.path());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::format);
  }
  EXPECT_THROW(load().encode("\xFF"), Error);
}

TEST(Tokenizer, ServesSeveralThreads) {
  const Tokenizer tokenizer = load();
  const auto expected = tokenizer.encode("Hello you, the weather is kind").ids;
  std::vector<std::thread> threads;
  std::vector<int> equal(4);
  for (std::size_t i = 0; i < equal.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < 200; ++n) equal[i] += tokenizer.encode("Hello you, the weather is kind").ids == expected;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_THAT(equal, testing::Each(200));
}

}  // namespace
}  // namespace ilt
