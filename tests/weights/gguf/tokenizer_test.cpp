// Tokenizers of GGUF files: ids as Hugging Face's tokenizers and SentencePiece give them, and what is refused.
#include "weights/gguf/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"
#include "weights/gguf/broken_files.h"
#include "weights/gguf/file.h"
#include "weights/model_source.h"

namespace ilt {
namespace {

using testing::HasSubstr;

const fs::path goldens = fs::path(ILT_TEST_DATA) / "gguf" / "tokenizer";

class GgufTokenizer : public testing::TestWithParam<std::string> {
 protected:
  std::shared_ptr<const FileSet> files_ = open_model_files(goldens / (GetParam() + ".gguf"));
  Json expected_ = parse_json(read_file(goldens / "expected.json"), "expected.json")[GetParam()];
};

TEST_P(GgufTokenizer, GivesTheIdsThatTheOriginalGives) {
  const Tokenizer tokenizer = Tokenizer::load(*files_);
  for (std::size_t i = 0; i < expected_["texts"].size(); ++i) {
    const auto text = expected_["texts"][i].get<std::string>();
    const auto ids = expected_["ids"][i].get<std::vector<std::int32_t>>();
    EXPECT_EQ(tokenizer.encode(text).ids, ids) << text;
    if (GetParam() == "qwen2") continue;  // whose text comes back composed
    EXPECT_EQ(tokenizer.decode(ids, /*skip_special=*/false), text);
  }
}

TEST_P(GgufTokenizer, AddsBosAndEosAsTheFileAsks) {
  const Tokenizer tokenizer = Tokenizer::load(*files_);
  auto ids = tokenizer.encode("a b").ids;
  const Json& added = expected_["added"];
  if (added.size() > 0) ids.insert(ids.begin(), added[0].get<std::int32_t>());
  if (added.size() > 1) ids.push_back(added[1].get<std::int32_t>());
  EXPECT_EQ(tokenizer.encode("a b", /*add_special=*/true).ids, ids);
  EXPECT_EQ(tokenizer.eos_id(), 2);
}

INSTANTIATE_TEST_SUITE_P(Kinds, GgufTokenizer,
                         testing::Values("gpt-2", "smollm", "llama-bpe", "qwen2", "tekken", "gpt-4o", "spm"));

TEST(GgufTokenizerFiles, HaveTemplateAndSpecialTokens) {
  const auto files = open_model_files(goldens / "qwen2.gguf");
  const Json config = parse_json(files->read("tokenizer_config.json"), "tokenizer_config.json");
  EXPECT_EQ(config["bos_token"], "<|im_start|>");
  EXPECT_EQ(config["eos_token"], "<|im_end|>");
  EXPECT_EQ(config["pad_token"], "<|endoftext|>");
  const Json messages = Json::array({{{"role", "user"}, {"content", "hi"}}});
  EXPECT_EQ(ChatTemplate::load(*files).render(messages, false), "<|im_start|>user\nhi<|im_end|>\n");
  const Tokenizer tokenizer = Tokenizer::load(*files);
  EXPECT_TRUE(tokenizer.is_special(tokenizer.token_id("<|im_end|>")));
  EXPECT_FALSE(tokenizer.is_special(tokenizer.token_id("<tool>")));
  EXPECT_EQ(tokenizer.token_id("[PAD562]"), -1);
}

// A file of metadata alone: name -> encoded type and value.
std::string metadata_file(const std::vector<std::pair<std::string, std::string>>& values) {
  std::string bytes = gguf_head(0, values.size());
  for (const auto& [key, value] : values) bytes += gguf_string(key) + value;
  return bytes;
}

std::string text_value(std::string_view text) {
  return gguf_type(GgufValueType::string) + gguf_string(text);
}

std::string texts_value(const std::vector<std::string>& texts) {
  std::string bytes =
      gguf_type(GgufValueType::array) + gguf_type(GgufValueType::string) + gguf_number<std::uint64_t>(texts.size());
  for (const std::string& text : texts) bytes += gguf_string(text);
  return bytes;
}

template <typename Number>
std::string numbers_value(GgufValueType type, const std::vector<Number>& numbers) {
  std::string bytes = gguf_type(GgufValueType::array) + gguf_type(type) + gguf_number<std::uint64_t>(numbers.size());
  for (const Number number : numbers) bytes += gguf_number(number);
  return bytes;
}

std::string error_of(const std::vector<std::pair<std::string, std::string>>& values) {
  const std::string bytes = metadata_file(values);
  const GgufContent content = read_gguf(std::as_bytes(std::span(bytes)), "x.gguf");
  try {
    gguf_tokenizer_json(content.metadata);
    gguf_tokenizer_config(content.metadata);
  } catch (const Error& e) {
    return fmt::format("{}: {}", static_cast<int>(e.status()), e.what());
  }
  return "no error";
}

TEST(GgufTokenizerFiles, WhatIsNotKnownOrWrongIsRefusedByName) {
  const std::pair<std::string, std::string> bpe = {"tokenizer.ggml.model", text_value("gpt2")};
  const std::pair<std::string, std::string> spm = {"tokenizer.ggml.model", text_value("llama")};
  const std::pair<std::string, std::string> pre = {"tokenizer.ggml.pre", text_value("gpt-2")};
  const std::pair<std::string, std::string> tokens = {"tokenizer.ggml.tokens", texts_value({"a", "b"})};
  const std::pair<std::string, std::string> merges = {"tokenizer.ggml.merges", texts_value({})};
  EXPECT_EQ(error_of({bpe, pre, tokens, merges}), "no error");
  EXPECT_THAT(error_of({{"tokenizer.ggml.model", text_value("t5")}}),
              HasSubstr("-15: x.gguf: tokenizer.ggml.model is 't5'; libilt knows gpt2"));
  EXPECT_THAT(error_of({bpe, {"tokenizer.ggml.pre", text_value("viking")}, tokens, merges}),
              HasSubstr("tokenizer.ggml.pre is 'viking'; libilt knows: llama-bpe"));
  EXPECT_THAT(error_of({bpe, pre}), HasSubstr("no key 'tokenizer.ggml.tokens'"));
  EXPECT_THAT(error_of({bpe, pre, tokens}), HasSubstr("no key 'tokenizer.ggml.merges'"));
  EXPECT_THAT(error_of({bpe, pre, {"tokenizer.ggml.tokens", texts_value({"a", "b", "a"})}, merges}),
              HasSubstr("entry 2: found the token 'a' of entry 0"));
  EXPECT_THAT(error_of({bpe, pre, tokens, {"tokenizer.ggml.merges", texts_value({"a b", "ab"})}}),
              HasSubstr("tokenizer.ggml.merges, entry 1: found no blank"));
  EXPECT_THAT(error_of({bpe,
                        pre,
                        tokens,
                        merges,
                        {"tokenizer.ggml.token_type", numbers_value<std::int32_t>(GgufValueType::i32, {1})}}),
              HasSubstr("tokenizer.ggml.token_type: found 1 types, expected 2"));
  EXPECT_THAT(
      error_of({bpe,
                pre,
                tokens,
                merges,
                {"tokenizer.ggml.eos_token_id", gguf_type(GgufValueType::u32) + gguf_number<std::uint32_t>(2)}}),
      HasSubstr("tokenizer.ggml.eos_token_id: found 2, expected the id of one of 2 tokens"));
  EXPECT_THAT(error_of({spm, tokens}), HasSubstr("no key 'tokenizer.ggml.scores'"));
  EXPECT_THAT(error_of({spm, tokens, {"tokenizer.ggml.scores", numbers_value<float>(GgufValueType::f32, {0.5F})}}),
              HasSubstr("found 1 scores, expected 2"));
  EXPECT_THAT(error_of({spm, tokens, {"tokenizer.ggml.scores", numbers_value<float>(GgufValueType::f32, {NAN, 0})}}),
              HasSubstr("found NaN"));
}

TEST(GgufTokenizerFiles, AFileWithoutTokenizerHasNone) {
  const auto files = open_model_files(fs::path(ILT_TEST_DATA) / "gguf" / "tied.gguf");
  EXPECT_FALSE(files->has("tokenizer.json"));
  EXPECT_TRUE(files->has("config.json"));
  EXPECT_THAT([&] { Tokenizer::load(*files); },
              testing::ThrowsMessage<Error>(HasSubstr("tied.gguf has no tokenizer.json")));
}

}  // namespace
}  // namespace ilt
