// Chat templates against what transformers renders, and where they are found.
#include "text/chat_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/error.h"
#include "text/support.h"

namespace ilt {
namespace {

const Json hi = {{{"role", "user"}, {"content", "Hi"}}};

// A template by itself, with the test model's special tokens.
ChatTemplate compile(const std::string& source) {
  const test::ScratchFolder folder;
  return ChatTemplate::load(test::data_folder() / "model", folder.write("t.jinja", source));
}

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ChatTemplate, EqualsTransformers) {
  for (const Json& one : test::golden("render.json")) {
    SCOPED_TRACE(one["name"].get<std::string>());
    const ChatTemplate chat = compile(one["template"].get<std::string>());
    EXPECT_EQ(chat.render(one["messages"], one["add_generation_prompt"].get<bool>(), one["extra"]), one["expected"]);
  }
}

TEST(ChatTemplate, DropsNullKeysOfMessages) {
  const ChatTemplate chat = compile("{{ 'content' in messages[0] }}{{ tools is none }}");
  EXPECT_EQ(chat.render({{{"role", "assistant"}, {"content", nullptr}}}, false), "FalseTrue");
}

TEST(ChatTemplate, KnowsSpecialTokensInBothForms) {
  EXPECT_EQ(compile("{{ bos_token }}{{ eos_token }}{{ unk_token }}").render(hi, false), "<s></s>");
}

TEST(ChatTemplate, GivesTheTemplatesOwnMessage) {
  const ChatTemplate chat = compile("\n{{ raise_exception('Turns must alternate.') }}");
  EXPECT_THAT(error_of([&] { chat.render(hi, false); }), testing::HasSubstr("Turns must alternate. (line 2"));
  EXPECT_THAT(error_of([&] { compile("{% if %}"); }), testing::HasSubstr("t.jinja"));
}

TEST(ChatTemplate, PrintsTheDateItIsGiven) {
  ChatTemplate chat = compile("{{ strftime_now('%d %b %Y, %A %-d %B %y %j %H:%M:%S %I%p %%') }}");
  EXPECT_TRUE(chat.prints_date());
  chat.set_time(1769860800 + 13 * 3600 + 5);  // noon of 31 January 2026, and more
  EXPECT_EQ(chat.render(hi, false), "01 Feb 2026, Sunday 1 February 26 032 01:00:05 01AM %");
  chat.set_time(951782400);  // a leap day
  EXPECT_EQ(chat.render(hi, false), "29 Feb 2000, Tuesday 29 February 00 060 00:00:00 12AM %");
}

TEST(ChatTemplate, IsFoundInItsPlaces) {
  const test::ScratchFolder folder;
  EXPECT_THAT(error_of([&] { ChatTemplate::load(folder.path()); }), testing::HasSubstr("chat_template_path"));
  folder.write("tokenizer_config.json",
               R"({"chat_template": [{"name": "rag", "template": "R"}, {"name": "default", "template": "D"}]})");
  EXPECT_EQ(ChatTemplate::load(folder.path()).render(hi, false), "D");
  folder.write("tokenizer_config.json", R"({"chat_template": "OLD {{ messages[0].content }}"})");
  EXPECT_EQ(ChatTemplate::load(folder.path()).render(hi, false), "OLD Hi");
  folder.write("chat_template.jinja", "NEW");
  EXPECT_EQ(ChatTemplate::load(folder.path()).render(hi, false), "NEW");
  const auto other = folder.write("other.json", R"({"chat_template": "OTHER"})");
  EXPECT_EQ(ChatTemplate::load(folder.path(), other).render(hi, false), "OTHER");
}

TEST(ChatTemplate, SurvivesEndlessRecursion) {
  const ChatTemplate chat = compile("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}");
  EXPECT_THROW(chat.render(hi, false), Error);
}

TEST(ChatTemplate, ServesSeveralThreads) {
  const ChatTemplate chat = compile("{% for m in messages %}{{ m.role }}{{ m.content }}{% endfor %}");
  std::vector<std::thread> threads;
  std::vector<int> equal(4);
  for (std::size_t i = 0; i < equal.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < 200; ++n) equal[i] += chat.render(hi, false) == "userHi";
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_THAT(equal, testing::Each(200));
}

}  // namespace
}  // namespace ilt
