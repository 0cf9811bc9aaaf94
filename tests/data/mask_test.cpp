// Masks against golden ones: text by transformers, ids by tokenizers, what is to be learnt by hand.
#include "data/mask.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/load.h"
#include "text/support.h"

namespace ilt {
namespace {

Dataset load_one(const Json& record, const std::string& source) {
  const test::ScratchFolder folder;
  const auto model = test::data_folder() / "model";
  const auto chat = ChatTemplate::load(model, folder.write("t.jinja", source));
  const std::vector<std::string> paths = {folder.write("rows.jsonl", record.dump() + "\n")};
  return load_dataset(paths, Tokenizer::load(model), &chat, {});
}

Json messages(const std::string& answer) {
  return {{"messages", {{{"role", "user"}, {"content", "Hi"}}, {{"role", "assistant"}, {"content", answer}}}}};
}

std::string error_of(const Json& record, const std::string& source) {
  try {
    load_one(record, source);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Mask, EqualsGolden) {
  const auto tokenizer = Tokenizer::load(test::data_folder() / "model");
  for (const Json& one : test::golden("mask.json")) {
    SCOPED_TRACE(one["name"].get<std::string>());
    const Dataset dataset = load_one(one["record"], one["template"].get<std::string>());
    ASSERT_EQ(dataset.size(), 1);
    const auto ids = dataset.at(0).ids;
    const auto labels = labels_of(dataset.at(0));
    EXPECT_EQ(std::vector(ids.begin(), ids.end()), one["input_ids"].get<std::vector<std::int32_t>>());
    std::vector<std::int32_t> learnt;
    for (const auto label : labels) learnt.push_back(label == ignored_label ? 0 : label);  // <pad>: shows the gaps
    EXPECT_EQ(Json(std::vector(labels.begin(), labels.end())), one["labels"]) << tokenizer.decode(learnt, false);
  }
}

TEST(Mask, KeepsUnusualCharactersInTexts) {
  const std::string chatml = test::golden("model/tokenizer_config.json")["chat_template"];
  const std::string answer =
      "\uE2A0"
      "12\uE2A1 and \uE2A3";  // the first characters that marks would take
  const Dataset dataset = load_one(messages(answer), chatml);
  const auto tokenizer = Tokenizer::load(test::data_folder() / "model");
  EXPECT_THAT(tokenizer.decode(dataset.at(0).ids, false), testing::HasSubstr(answer));
  EXPECT_EQ(dataset.supervised(0), static_cast<std::int64_t>(tokenizer.encode(answer).ids.size()) + 1);
}

TEST(Mask, RefusesTemplatesThatHideTheSpans) {
  EXPECT_THAT(error_of(messages("Yes"), "{% for m in messages %}{{ m.role }}{% endfor %}"),
              testing::HasSubstr("prints nothing of message 2"));
  EXPECT_THAT(error_of(messages("Yes"), "{% for m in messages %}{{ m.content }}{{ m.content }}{% endfor %}"),
              testing::HasSubstr("prints message 2 twice"));
  EXPECT_THAT(error_of(messages("Yes"), "{% for m in messages | reverse %}{{ m.content | length }}{% endfor %}"),
              testing::HasSubstr("hides where they stand"));
}

}  // namespace
}  // namespace ilt
