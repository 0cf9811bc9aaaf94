// GGUF files as models: names, rows and values as in the Hugging Face folder that they were made from, and its config.
#include "weights/gguf/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>

#include "base/error.h"
#include "weights/export.h"
#include "weights/gguf/broken_files.h"
#include "weights/gguf/config.h"
#include "weights/gguf/file.h"

namespace ilt {
namespace {

using testing::HasSubstr;

const fs::path data = ILT_TEST_DATA;

std::vector<float> values_of(const SourceTensor& tensor) {
  std::vector<float> values(static_cast<std::size_t>(tensor.info.numel()));
  tensor.read(values);
  return values;
}

class GgufModel : public testing::TestWithParam<std::string> {
 protected:
  const ModelSource folder_ = open_model(data / GetParam());
  const ModelSource gguf_ = open_model(data / "gguf" / (fs::path(GetParam()).filename().string() + ".gguf"));
};

TEST_P(GgufModel, HasTheTensorsOfTheFolder) {
  EXPECT_EQ(gguf_.tensors().size(), folder_.tensors().size());
  for (const auto& [name, tensor] : folder_.tensors()) {
    const SourceTensor& found = gguf_.tensors().at(name);
    EXPECT_EQ(found.info.shape, tensor.info.shape) << name;
    EXPECT_EQ(found.info.dtype, DType::f32) << name;
    const std::vector<float> expected = values_of(tensor);
    const std::vector<float> values = values_of(found);
    const bool is_whole_norm = GetParam().find("gemma") != std::string::npos && name.ends_with("norm.weight");
    for (std::size_t i = 0; i < expected.size(); ++i) {
      // The file holds w + 1 in fp32.
      const float wanted = is_whole_norm ? (expected[i] + 1.0F) - 1.0F : expected[i];
      ASSERT_EQ(values[i], wanted) << name << " " << i;
    }
  }
}

// Every key of the folder's config that a family reads and the file has means the same.
TEST_P(GgufModel, HasTheConfigOfTheFolder) {
  const Json& config = gguf_.config();
  for (const char* key :
       {"architectures", "model_type", "vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads",
        "num_key_value_heads", "intermediate_size", "max_position_embeddings", "rms_norm_eps", "tie_word_embeddings"})
    EXPECT_EQ(config.at(key), folder_.config().at(key)) << key;
  EXPECT_EQ(config.at("dtype"), "float32");
  EXPECT_EQ(config.at("eos_token_id"), 2);
}

INSTANTIATE_TEST_SUITE_P(Goldens, GgufModel,
                         testing::Values("llama/tied", "llama/gqa_untied", "llama/bias", "llama/rope_yarn",
                                         "llama/rope_llama3", "models/qwen2", "models/qwen3", "models/granite",
                                         "models/gemma", "models/gemma2", "models/gemma3", "models/phi3",
                                         "models/phi3_longrope"),
                         [](const auto& test) { return fs::path(test.param).filename().string(); });

TEST(GgufModelFile, IsExportedAsAFolder) {
  const fs::path root = fs::temp_directory_path() / fmt::format("ilt_gguf_{}", ::getpid());
  const ModelSource source = open_model(data / "gguf" / "tied.gguf");
  std::vector<ExportTensor> tensors;
  for (const auto& [name, tensor] : source.tensors())
    tensors.push_back({name, {DType::bf16, tensor.info.shape}, [&tensor, values = std::vector<float>()]() mutable {
                         values = values_of(tensor);
                         return std::span<const float>(values);
                       }});
  export_model(source.files(), root / "model", tensors, dtype_changes(source.config(), "bfloat16"));
  const ModelSource exported = open_model(root / "model");
  EXPECT_EQ(exported.config()["dtype"], "bfloat16");
  EXPECT_EQ(exported.tensors().size(), source.tensors().size());
  EXPECT_TRUE(fs::exists(root / "model" / "generation_config.json"));
  fs::remove_all(root);
}

TEST(GgufModelFile, IsKnownByNameOrByItsFirstBytes) {
  const fs::path file = fs::temp_directory_path() / fmt::format("ilt_gguf_{}", ::getpid());
  write_file(file, read_file(data / "gguf" / "tied.gguf"));
  EXPECT_TRUE(is_gguf_file(file));
  EXPECT_TRUE(is_gguf_file(data / "gguf" / "tied.gguf"));
  write_file(file, "GGU");
  EXPECT_FALSE(is_gguf_file(file));
  EXPECT_FALSE(is_gguf_file(data / "gguf"));
  EXPECT_FALSE(is_gguf_file("nowhere.gguf"));
  fs::remove(file);
}

// The metadata of a tiny llama with some values in place of others, and a matrix of embeddings.
using Values = std::map<std::string, std::string>;

std::string u32(std::uint32_t value) {
  return gguf_type(GgufValueType::u32) + gguf_number(value);
}

std::string text(std::string_view value) {
  return gguf_type(GgufValueType::string) + gguf_string(value);
}

std::string f32(float value) {
  return gguf_type(GgufValueType::f32) + gguf_number(value);
}

Json config_of(const Values& changes, const std::string& entry = gguf_entry("token_embd.weight", {4, 3}, 0, 0)) {
  Values values = {{"general.architecture", text("llama")},
                   {"llama.context_length", u32(16)},
                   {"llama.embedding_length", u32(4)},
                   {"llama.block_count", u32(1)},
                   {"llama.feed_forward_length", u32(8)},
                   {"llama.attention.head_count", u32(2)},
                   {"llama.attention.layer_norm_rms_epsilon", f32(1e-5F)}};
  for (const auto& [key, value] : changes) {
    values[key] = value;
    if (value.empty()) values.erase(key);
  }
  std::string head = gguf_head(1, values.size());
  for (const auto& [key, value] : values) head += gguf_string(key) + value;
  const std::string bytes = gguf_with_data(head + entry, 64);
  return gguf_config(read_gguf(std::as_bytes(std::span(bytes)), "x.gguf"));
}

std::string error_of(const Values& changes, const std::string& entry = gguf_entry("token_embd.weight", {4, 3}, 0, 0)) {
  try {
    config_of(changes, entry);
  } catch (const Error& e) {
    return fmt::format("{}: {}", static_cast<int>(e.status()), e.what());
  }
  return "no error";
}

TEST(GgufConfig, MayHoldANumberForEachLayerWhereAllAreAlike) {
  const auto each = [](const std::vector<std::uint32_t>& numbers) {
    std::string bytes =
        gguf_type(GgufValueType::array) + gguf_type(GgufValueType::u32) + gguf_number<std::uint64_t>(numbers.size());
    for (const auto number : numbers) bytes += gguf_number(number);
    return bytes;
  };
  EXPECT_EQ(config_of({{"llama.feed_forward_length", each({8, 8})}})["intermediate_size"], 8);
  EXPECT_THAT(error_of({{"llama.feed_forward_length", each({8, 9})}}), HasSubstr("a number for each layer"));
  EXPECT_THAT(error_of({{"llama.feed_forward_length", each({})}}), HasSubstr("a number for each layer"));
}

TEST(GgufConfig, QuantisedModelsAreExportedInBf16) {
  const auto dtype = [](std::uint32_t type, std::uint64_t width) {
    return config_of({{"llama.embedding_length", u32(32)}},
                     gguf_entry("token_embd.weight", {width, 1}, type, 0))["dtype"];
  };
  EXPECT_EQ(dtype(0, 4), "float32");
  EXPECT_EQ(dtype(1, 4), "float16");
  EXPECT_EQ(dtype(30, 4), "bfloat16");
  EXPECT_EQ(dtype(8, 32), "bfloat16");
}

TEST(GgufConfig, WhatIsNotKnownIsRefusedByName) {
  EXPECT_EQ(error_of({}), "no error");
  EXPECT_THAT(error_of({{"general.architecture", text("bert")}}),
              HasSubstr("-15: x.gguf: general.architecture is 'bert'; of GGUF files libilt knows: llama, qwen2"));
  EXPECT_THAT(error_of({{"general.type", text("adapter")}}), HasSubstr("general.type is 'adapter'"));
  EXPECT_THAT(error_of({{"split.count", u32(3)}}), HasSubstr("llama-gguf-split --merge"));
  EXPECT_THAT(error_of({{"llama.expert_count", u32(8)}}), HasSubstr("llama.expert_count is 8"));
  EXPECT_THAT(error_of({{"llama.attention.clamp_kqv", f32(1)}}), HasSubstr("'llama.attention.clamp_kqv'"));
  EXPECT_THAT(error_of({{"llama.attention.value_length", u32(4)}}), HasSubstr("llama.attention.value_length is 4"));
  EXPECT_THAT(error_of({{"llama.rope.scaling.type", text("su")}}), HasSubstr("llama.rope.scaling.type is 'su'"));
}

TEST(GgufConfig, WhatIsWrongIsAFormatError) {
  EXPECT_THAT(error_of({{"general.architecture", ""}}), HasSubstr("-7: "));
  EXPECT_THAT(error_of({{"llama.context_length", ""}}), HasSubstr("found no key 'llama.context_length'"));
  EXPECT_THAT(error_of({{"llama.block_count", text("2")}}),
              HasSubstr("the key 'llama.block_count': found a value of type string"));
  EXPECT_THAT(error_of({{"llama.attention.head_count", u32(0)}}), HasSubstr("num_attention_heads: found 0"));
  EXPECT_THAT(error_of({{"llama.rope.dimension_count", u32(6)}}), HasSubstr("llama.rope.dimension_count: found 6"));
  EXPECT_THAT(error_of({}, gguf_entry("output.weight", {4, 3}, 0, 0)), HasSubstr("no matrix token_embd.weight"));
  EXPECT_THAT(error_of({}, gguf_entry("token_embd.weight", {4}, 0, 0)), HasSubstr("no matrix token_embd.weight"));
}

}  // namespace
}  // namespace ilt
