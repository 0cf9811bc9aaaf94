// Files to data sets: formats, faults, limits, counts.
#include "data/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/log.h"
#include "text/support.h"

namespace ilt {
namespace {

using testing::HasSubstr;

const std::string hello =
    R"({"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello you"}]})";
const std::string yes = R"({"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes"}]})";

class Load : public testing::Test {
 protected:
  Dataset load(const std::string& bytes, const DataOptions& options = {}) {
    return load_paths({folder_.write("rows.jsonl", bytes)}, options);
  }
  Dataset load_paths(const std::vector<std::string>& paths, const DataOptions& options = {}) {
    return load_dataset(paths, tokenizer_, with_chat_ ? &chat_ : nullptr, options, cancel_);
  }
  // The error, which must be one of the data's.
  Error error(const std::string& bytes, const DataOptions& options = {}) {
    try {
      load(bytes, options);
    } catch (const Error& thrown) {
      EXPECT_EQ(thrown.status(), Status::data);
      return thrown;
    }
    ADD_FAILURE() << "no error for " << bytes;
    return Error(Status::ok, "no error");
  }
  std::string text(const Dataset& dataset, std::int64_t i) { return tokenizer_.decode(dataset.at(i).ids, false); }
  std::string learnt(const Dataset& dataset, std::int64_t i) {
    std::vector<std::int32_t> ids;
    for (const auto label : labels_of(dataset.at(i))) {
      if (label != ignored_label) ids.push_back(label);
    }
    return tokenizer_.decode(ids, false);
  }

  test::ScratchFolder folder_;
  Tokenizer tokenizer_ = Tokenizer::load(test::data_folder() / "model");
  ChatTemplate chat_ = ChatTemplate::load(test::data_folder() / "model");
  bool with_chat_ = true;
  CancelToken cancel_ = CancelToken::make();
};

TEST_F(Load, SplitsLinesAsWrittenAnywhere) {
  for (const std::string& bytes :
       {hello + "\n" + yes + "\n", "\r\n" + hello + "\r\n \t\r\n\n" + yes, "\xEF\xBB\xBF" + hello + "\n" + yes}) {
    const Dataset dataset = load(bytes);
    ASSERT_EQ(dataset.size(), 2);
    EXPECT_TRUE(dataset.report.dropped.empty());
    EXPECT_EQ(text(dataset, 0), "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello you<|im_end|>\n");
    EXPECT_EQ(learnt(dataset, 1), "Yes<|im_end|>");
  }
}

TEST_F(Load, KeepsByteOrderMarksInTexts) {
  const Dataset dataset = load(R"({"messages": [{"role": "user", "content": "a)"
                               "\xEF\xBB\xBF"
                               R"(b"}, {"role": "assistant", "content": "Yes"}]})");
  EXPECT_THAT(text(dataset, 0), HasSubstr("a\xEF\xBB\xBF"
                                          "b"));
}

TEST_F(Load, NamesFileLineAndColumn) {
  const Error utf8 = error(hello + "\n{\"messages\":[{\"role\":\"user\",\"content\":\"one caf\xE9\"}]}\n");
  EXPECT_THAT(utf8.what(),
              testing::AllOf(HasSubstr("rows.jsonl line 2"), HasSubstr("UTF-8"), HasSubstr("byte column 47")));
  EXPECT_EQ(utf8.detail()["line"], 2);
  EXPECT_EQ(utf8.detail()["column"], 47);
  const auto column = std::to_string(hello.size() + 1);
  EXPECT_THAT(error(hello + hello).what(),
              testing::AllOf(HasSubstr("column " + column), HasSubstr("more than one object")));
  EXPECT_THAT(error(hello.substr(0, hello.size() - 1) + ",}").what(),
              testing::AllOf(HasSubstr("line 1"), HasSubstr("column " + column), HasSubstr("comma")));
  EXPECT_THAT(error("[" + hello + "," + hello + "]").what(), HasSubstr("array"));
  EXPECT_THAT(error("{\n \"messages\": []\n}\n").what(),
              testing::AllOf(HasSubstr("line 1"), HasSubstr("several lines")));
  EXPECT_THAT(error("\x1F\x8B\x08").what(), HasSubstr("gzip"));
  EXPECT_THAT(error(std::string(100000, '[')).what(), HasSubstr("nested"));
  EXPECT_THAT(error("{\"input_ids\": [1e999]}").what(), HasSubstr("line 1"));
}

TEST_F(Load, RefusesWhatOnlyLooksLikeARecord) {
  EXPECT_THAT(error(hello + std::string("\0garbage", 8)).what(),
              HasSubstr(fmt::format("byte {} is zero", hello.size() + 1)));
  std::string keys = "{";
  for (int i = 0; i < 20'000; ++i) keys += fmt::format("\"{}\":1,", i);
  EXPECT_THAT(error(keys + "\"text\":\"x\"}").what(), HasSubstr("more than 10000 keys"));
  const std::string digits(100'000, '9');
  for (const std::string& text : {"{\"input_ids\":[" + digits + "]}", "{\"" + digits + "\":1}",
                                  "{\"messages\":[{\"role\":\"" + digits + "\",\"content\":\"\"}]}"})
    EXPECT_LT(std::string(error(text).what()).size(), 2000u);
  const std::string deep(100'000, '[');
  EXPECT_THAT(error(R"({"messages":[{"role":"user","content":"a"}],"tools":")" + deep + "\"}").what(),
              HasSubstr("\"tools\" is a string"));
  EXPECT_THAT(error(R"({"conversations":[{"from":"function_call","value":")" + deep + "\"}]}\n{").what(),
              HasSubstr("line 2"));
}

TEST_F(Load, SaysWhichKeysItExpected) {
  const Error keys = error(R"({"question": "a", "answer": "b"})");
  EXPECT_THAT(keys.what(), testing::AllOf(HasSubstr("line 1"), HasSubstr("question"), HasSubstr("\"messages\"")));
  EXPECT_EQ(keys.detail()["got"], Json({"question", "answer"}));
  EXPECT_THAT(error(hello + "\n{\"text\": \"x\"}").what(), testing::AllOf(HasSubstr("line 2"), HasSubstr("\"text\"")));
}

TEST_F(Load, ChecksMessages) {
  const auto with = [](const std::string& first) {
    return R"({"messages": [)" + first + R"(, {"role": "assistant", "content": "Yes"}]})";
  };
  EXPECT_THAT(error(R"({"messages": []})").what(), testing::AllOf(HasSubstr("messages"), HasSubstr("empty")));
  EXPECT_THAT(error(R"({"messages": "Hi"})").what(), HasSubstr("a list of messages"));
  EXPECT_THAT(error(R"({"messages": ["Hi", "Yes"]})").what(), HasSubstr("object"));
  EXPECT_THAT(error(with(R"({"content": "Hi"})")).what(), testing::AllOf(HasSubstr("message 1"), HasSubstr("role")));
  EXPECT_THAT(error(with(R"({"role": null, "content": "Hi"})")).what(), HasSubstr("\"role\" is null"));
  EXPECT_THAT(error(with(R"({"role": 7, "content": "Hi"})")).what(), HasSubstr("\"role\" is a number"));
  EXPECT_THAT(error(with(R"({"role": "user", "content": 42})")).what(),
              testing::AllOf(HasSubstr("content"), HasSubstr("expected a string")));
  EXPECT_THAT(error(with(R"({"role": "user"})")).what(), HasSubstr("\"content\" is null"));
  EXPECT_THAT(error(with(R"({"role": "hummany", "content": "Hi"})")).what(),
              testing::AllOf(HasSubstr("hummany"), HasSubstr("human")));
  EXPECT_THAT(error(with(R"({"role": "user", "content": [{"type": "image_url", "image_url": {}}]})")).what(),
              testing::AllOf(HasSubstr("line 1"), HasSubstr("image_url")));
  EXPECT_EQ(error(with(R"({"role": "user", "content": 42})")).detail()["message"], 0);
}

TEST_F(Load, TakesTheOtherChatFormats) {
  const std::string expected = text(load(hello), 0);
  for (
      const std::string record :
      {R"({"conversations": [{"from": "human", "value": "Hi"}, {"from": "assistant", "value": "Hello you"}]})",
       R"({"instruction": "Hi", "input": "", "output": "Hello you"})", R"({"prompt": "Hi", "completion": "Hello you"})",
       R"({"prompt": [{"role": "user", "content": "Hi"}], "completion": [{"role": "assistant", "content": "Hello you"}]})"}) {
    SCOPED_TRACE(record);
    const Dataset dataset = load(record);
    EXPECT_EQ(text(dataset, 0), expected);
    EXPECT_EQ(learnt(dataset, 0), "Hello you<|im_end|>");
  }
  const Dataset with_input = load(R"({"instruction": "Add", "input": "2 2", "output": "4", "system": "Be kind."})");
  EXPECT_THAT(text(with_input, 0),
              testing::StartsWith("<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\nAdd\n\n2 2<"));
  const Dataset twice = load(
      R"({"prompt": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "No"}, {"role": "user", "content": "b"}], "completion": "Yes"})");
  EXPECT_EQ(learnt(twice, 0), "Yes<|im_end|>");
}

TEST_F(Load, TakesProcessedRecords) {
  with_chat_ = false;
  const Dataset dataset = load(R"({"input_ids": [5, 6, 7], "labels": [-100, 6, 7], "len": 3})");
  EXPECT_EQ(dataset.supervised(0), 2);
  EXPECT_THAT(dataset.at(0).ids, testing::ElementsAre(5, 6, 7));
  EXPECT_THAT(error(R"({"input_ids": [5, 6], "labels": [5]})").what(), HasSubstr("2 input_ids but 1 labels"));
  EXPECT_THAT(error(R"({"input_ids": [5, 6], "labels": [-100, 7]})").what(), HasSubstr("unshifted"));
  EXPECT_THAT(error(R"({"input_ids": [5, 2147483648]})").what(), HasSubstr("[1] is 2147483648"));
  EXPECT_THAT(error(R"({"input_ids": [5, 1.5]})").what(), HasSubstr("token id"));
}

TEST_F(Load, TakesTextsWithoutATemplate) {
  with_chat_ = false;
  EXPECT_EQ(learnt(load(R"({"document": "Hello you"})"), 0), "Hello you</s>");
  EXPECT_EQ(learnt(load(R"({"prompt": "Hello", "completion": " you"})"), 0), " you</s>");
  EXPECT_THAT(error(hello).what(), HasSubstr("chat template"));
}

TEST_F(Load, AppliesInclusiveLengthLimits) {
  const auto length = load(hello).length(0);
  EXPECT_EQ(load(hello, {.max_seq_len = length}).size(), 1);
  const Dataset dropped = load(hello + "\n" + yes, {.max_seq_len = length - 1});
  EXPECT_EQ(dropped.size(), 1);
  EXPECT_EQ(dropped.report.dropped.at("too long"), 1);
  const Dataset cut = load(hello, {.max_seq_len = length - 1, .overlong = Overlong::truncate});
  EXPECT_EQ(cut.length(0), length - 1);
  EXPECT_EQ(cut.report.truncated, 1);
  EXPECT_THAT(error(hello, {.max_seq_len = length - 1, .overlong = Overlong::error}).what(),
              HasSubstr(std::to_string(length) + " tokens"));
  // What is cut before its first label teaches nothing.
  EXPECT_THAT(error(hello, {.max_seq_len = 4, .overlong = Overlong::truncate}).what(),
              HasSubstr("beyond max_seq_len (4) in 1 of 1 records"));
}

TEST_F(Load, DropsAHugeLineWithoutTokenisingIt) {
  const std::string huge = R"({"messages": [{"role": "user", "content": ")" + std::string(8 << 20, 'a') +
                           R"("}, {"role": "assistant", "content": "Yes"}]})";
  const Dataset dataset = load(huge + "\n" + hello, {.max_seq_len = 128});
  EXPECT_EQ(dataset.size(), 1);
  EXPECT_EQ(dataset.report.dropped.at("too long"), 1);
}

TEST_F(Load, CountsWhatTeachesNothing) {
  const std::string system = R"({"messages": [{"role": "system", "content": "You only watch."}]})";
  const Dataset dataset = load(hello + "\n" + system);
  EXPECT_EQ(dataset.size(), 1);
  EXPECT_EQ(dataset.report.dropped.at("no supervised token"), 1);
  EXPECT_THAT(error(system).what(), HasSubstr("no record has anything to learn"));
  EXPECT_THAT(error("").what(), HasSubstr("no record in it"));
}

TEST_F(Load, ToleratesAsManyBadRecordsAsItIsTold) {
  const std::string bytes = "{\n" + hello + "\n{\"messages\": 3}\n" + yes;
  const Dataset dataset = load(bytes, {.max_bad_records = 2});
  EXPECT_EQ(dataset.size(), 2);
  EXPECT_EQ(dataset.report.dropped.at("bad record"), 2);
  const Error first = error(bytes, {.max_bad_records = 1});
  EXPECT_THAT(first.what(), testing::AllOf(HasSubstr("line 1"), HasSubstr("first of 2")));
}

TEST_F(Load, PassesTheTemplatesRefusalOn) {
  chat_ = ChatTemplate::load(
      test::data_folder() / "model",
      folder_.write("t.jinja", "{{ raise_exception('Turns must alternate, starting with user.') }}"));
  EXPECT_THAT(error(hello).what(),
              testing::AllOf(HasSubstr("line 1"), HasSubstr("Turns must alternate, starting with user.")));
}

TEST_F(Load, ReadsFoldersAndSeveralFiles) {
  const test::ScratchFolder folder;
  folder.write("b.jsonl", yes);
  folder.write("a.jsonl", hello);
  folder.write("notes.txt", "no data");
  const Dataset dataset = load_paths({folder.path().string(), folder_.write("more.jsonl", hello)});
  ASSERT_EQ(dataset.size(), 3);
  EXPECT_EQ(learnt(dataset, 0), "Hello you<|im_end|>");
  EXPECT_EQ(learnt(dataset, 1), "Yes<|im_end|>");
  EXPECT_THROW(load_paths({"/no/such/file"}), Error);
  EXPECT_THROW(load_paths({}), Error);
  const test::ScratchFolder empty;
  EXPECT_THROW(load_paths({empty.path().string()}), Error);
}

TEST_F(Load, GivesTheSameOnAnyNumberOfThreads) {
  std::string bytes;
  for (int i = 0; i < 1500; ++i) {
    bytes += R"({"messages": [{"role": "user", "content": ")" + std::to_string(i) +
             R"("}, {"role": "assistant", "content": "Yes"}]})"
             "\n";
  }
  const Dataset one = load(bytes, {.threads = 1});
  const Dataset three = load(bytes, {.threads = 3});
  ASSERT_EQ(one.size(), 1500);
  ASSERT_EQ(three.size(), 1500);
  for (std::int64_t i = 0; i < one.size(); ++i) {
    ASSERT_TRUE(std::ranges::equal(one.at(i).ids, three.at(i).ids));
    ASSERT_TRUE(std::ranges::equal(labels_of(one.at(i)), labels_of(three.at(i))));
  }
}

TEST_F(Load, ReportsFormatAndUnusedKeys) {
  std::string lines;
  log::set_sink([&](log::Level, std::string_view, std::string_view line) { lines += std::string(line) + "\n"; },
                log::Level::info);
  load(
      R"({"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes"}], "id": 7, "meta": {"a": [null]}})");
  log::set_sink({}, log::Level::off);
  EXPECT_THAT(lines, testing::AllOf(HasSubstr("messages records"), HasSubstr(R"(["id","meta"])"),
                                    HasSubstr("assistant turns end with \"<|im_end|>\"")));
}

TEST_F(Load, StopsOnRequest) {
  cancel_.cancel();
  EXPECT_THROW(load(hello), Stopped);
}

TEST(Dataset, NeverCountsPositionZero) {
  Dataset dataset;
  const std::vector<std::int32_t> ids = {1, 2, 3};
  dataset.add(ids, ids);
  EXPECT_EQ(dataset.supervised(0), 2);
  EXPECT_EQ(dataset.num_tokens(), 3);
  EXPECT_THROW(dataset.at(1), Error);
  EXPECT_THROW(dataset.add(ids, {}), Error);
}

}  // namespace
}  // namespace ilt
