// Chat templates of model families against golden ones: texts by transformers, what is to be learnt by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "data/conversation.h"
#include "data/mask.h"
#include "data/turns.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace ilt {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t golden_time = 1769817600;  // 31 January 2026

fs::path root() {
  return fs::path(ILT_TEST_DATA) / "templates";
}

Json read_json(const fs::path& path) {
  std::ifstream file(path);
  return Json::parse(std::string(std::istreambuf_iterator<char>(file), {}));
}

std::vector<std::string> families() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(root())) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// As records of messages become conversations: the assistant's turns are learnt.
Conversation to_conversation(const Json& golden) {
  Conversation conversation;
  for (const Json& message : golden["messages"]) add_message(conversation, message, {"conversations.json", 1});
  for (std::size_t i = 0; i < conversation.messages.size(); ++i) {
    conversation.train[i] = conversation.messages[i]["role"] == "assistant";
  }
  if (golden.contains("tools")) conversation.variables["tools"] = golden["tools"];
  return conversation;
}

// The text with ⟦ and ⟧ round what is learnt.
std::string mark(const std::string& text, const Encoding& encoding, const std::vector<bool>& learnt) {
  std::vector<bool> bytes(text.size() + 1, false);
  for (std::size_t i = 0; i < learnt.size(); ++i) {
    const auto [begin, end] = encoding.offsets[i];
    if (learnt[i]) std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(begin), end - begin, true);
  }
  std::string marked;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] != (i > 0 && bytes[i - 1])) marked += bytes[i] ? "⟦" : "⟧";
    if (i < text.size()) marked += text[i];
  }
  return marked;
}

class Families : public testing::TestWithParam<std::string> {
 protected:
  fs::path folder() const { return root() / GetParam(); }

  ChatTemplate load_template() const {
    ChatTemplate chat = ChatTemplate::load(folder());
    chat.set_time(golden_time);
    return chat;
  }

  const Json conversations_ = read_json(root() / "conversations.json");
  const Json rendered_ = read_json(root() / GetParam() / "rendered.json");
};

TEST_P(Families, RenderAsTransformersDoes) {
  const ChatTemplate chat = load_template();
  for (const Json& golden : conversations_) {
    const auto name = golden["name"].get<std::string>();
    SCOPED_TRACE(name);
    const Conversation conversation = to_conversation(golden);
    const auto render = [&](bool prompt) { return chat.render(conversation.messages, prompt, conversation.variables); };
    ASSERT_TRUE(rendered_.contains(name));
    if (rendered_[name].contains("raises")) {
      EXPECT_THROW(render(false), Error) << "transformers: " << rendered_[name]["raises"];
      continue;
    }
    try {
      EXPECT_EQ(render(false), rendered_[name]["text"]);
      EXPECT_EQ(render(true), rendered_[name]["prompted"]);
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

TEST_P(Families, LearnWhatTheAssistantSays) {
  const ChatTemplate chat = load_template();
  const auto tokenizer = Tokenizer::load(folder());
  const Json masks = read_json(folder() / "masks.json");
  for (const Json& golden : conversations_) {
    const auto name = golden["name"].get<std::string>();
    SCOPED_TRACE(name);
    if (rendered_[name].contains("raises")) continue;
    const Conversation conversation = to_conversation(golden);
    const auto text = rendered_[name]["text"].get<std::string>();
    const Encoding encoding = tokenizer.encode(text);
    if (masks[name].is_object()) {  // the template leaves out what is to be learnt
      EXPECT_THAT([&] { find_turns(chat, conversation, text); },
                  testing::ThrowsMessage<Error>(testing::HasSubstr(masks[name]["refused"].get<std::string>())));
      continue;
    }
    try {
      const Mask mask = mask_tokens(find_turns(chat, conversation, text), text, encoding, tokenizer);
      EXPECT_EQ(mark(text, encoding, mask.learnt), masks[name]);
    } catch (const Error& error) {
      ADD_FAILURE() << error.what() << "\nexpected: " << masks[name];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Golden, Families, testing::ValuesIn(families()), [](const auto& family) {
  std::string name = family.param;
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
});

TEST(FamiliesFolder, HoldsFourteenAtLeast) {
  EXPECT_GE(families().size(), 14);
}

}  // namespace
}  // namespace ilt
