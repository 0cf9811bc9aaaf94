// Models in GGUF: files by llama.cpp's rules compute what the folders compute that they were made from, bit for bit,
// and so does what libilt writes itself; what GGUF has no place for is refused.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/convert.h"
#include "model/export_gguf.h"
#include "model/families/family.h"
#include "model/load.h"
#include "text/tokenizer.h"
#include "weights/gguf/config.h"
#include "weights/gguf/file.h"

namespace ilt {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path data = ILT_TEST_DATA;

// GGUF says nothing of some numbers; llama.cpp knows them of an architecture.
Json with_implied_numbers(Json config) {
  const std::string type = config["model_type"].get<std::string>();
  if (type == "gemma2" || type == "gemma3_text") config["query_pre_attn_scalar"] = config["head_dim"];
  if (type == "gemma3_text") config["layer_types"] = nullptr;  // every sixth layer sees all
  return config;
}

ModelSource open_with_implied_numbers(const fs::path& folder) {
  const ModelSource source = open_model(folder);
  return {folder, std::make_shared<FolderFiles>(folder), with_implied_numbers(source.config()), source.tensors()};
}

at::Tensor logits(const ModelSource& source) {
  std::vector<std::int32_t> ids;
  for (int i = 0; i < 21; ++i) ids.push_back(i * 7 % 61);
  MicroBatchBuilder builder;
  builder.add(ids, ids);
  return load_decoder(source, at::kCPU)->logits(builder.build(at::kCPU));
}

class GgufModels : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { fs::create_directories(root_); }
  void TearDown() override { fs::remove_all(root_); }

  const ModelSource folder_ = open_with_implied_numbers(data / GetParam());
  const fs::path golden_ = data / "gguf" / (fs::path(GetParam()).filename().string() + ".gguf");
  const fs::path root_ = fs::temp_directory_path() / fmt::format("ilt_gguf_models_{}", ::getpid());
};

TEST_P(GgufModels, ComputeWhatTheFolderComputes) {
  const ModelSource gguf = open_model(golden_);
  EXPECT_TRUE(read_spec(gguf.config()) == read_spec(folder_.config()));
  EXPECT_TRUE(at::equal(logits(gguf), logits(folder_)));
}

TEST_P(GgufModels, ComeBackFromAnExportBitForBit) {
  export_gguf(folder_, root_ / "model.gguf", GgufTensorType::f32);
  EXPECT_TRUE(at::equal(logits(open_model(root_ / "model.gguf")), logits(folder_)));
}

// The file has the tensors that the Python package wrote, byte for byte, whatever their order.
TEST_P(GgufModels, AreWrittenAsThePackageWritesThem) {
  export_gguf(folder_, root_ / "model.gguf", GgufTensorType::f32);
  const GgufFile written(root_ / "model.gguf");
  const GgufFile expected(golden_);
  EXPECT_EQ(written.tensors().size(), expected.tensors().size());
  for (const auto& [name, tensor] : expected.tensors()) {
    const GgufTensor& found = written.tensors().at(name);
    EXPECT_EQ(found.shape, tensor.shape) << name;
    EXPECT_TRUE(std::equal(found.bytes.begin(), found.bytes.end(), tensor.bytes.begin(), tensor.bytes.end())) << name;
  }
  for (const std::string& key : expected.metadata().keys()) {
    if (key.starts_with("tokenizer.") || expected.metadata().is_array(key)) continue;
    EXPECT_TRUE(written.metadata().has(key)) << key;
  }
}

INSTANTIATE_TEST_SUITE_P(Goldens, GgufModels,
                         testing::Values("llama/tied", "llama/gqa_untied", "llama/bias", "llama/rope_yarn",
                                         "llama/rope_llama3", "models/qwen2", "models/qwen3", "models/granite",
                                         "models/gemma", "models/gemma2", "models/gemma3", "models/phi3",
                                         "models/phi3_longrope"),
                         [](const auto& test) { return fs::path(test.param).filename().string(); });

class GgufExport : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(root_); }
  void TearDown() override { fs::remove_all(root_); }

  // "STATUS: message" of writing tests/data/NAME with some keys of its config.json changed.
  std::string error_of(const std::string& name, const Json& changes = Json::object()) const {
    const ModelSource source = open_model(data / name);
    Json config = source.config();
    config.update(changes);
    try {
      export_gguf({data / name, std::make_shared<FolderFiles>(data / name), config, source.tensors()},
                  root_ / "refused.gguf", GgufTensorType::f32);
    } catch (const Error& e) {
      EXPECT_FALSE(fs::exists(root_ / "refused.gguf"));
      return fmt::format("{}: {}", static_cast<int>(e.status()), e.what());
    }
    return "no error";
  }

  const fs::path root_ = fs::temp_directory_path() / fmt::format("ilt_gguf_export_{}", ::getpid());
};

TEST_F(GgufExport, WhatLlamaCppHasNoPlaceForIsRefused) {
  EXPECT_THAT(error_of("models/olmo2"), HasSubstr("-15: config.json: models of 'Olmo2ForCausalLM' are not written"));
  EXPECT_THAT(error_of("llama/rope_dynamic"), HasSubstr("rope_type is 'dynamic'"));
  EXPECT_THAT(error_of("models/gemma2"), HasSubstr("would be another model"));  // its query_pre_attn_scalar
  EXPECT_THAT(error_of("models/qwen2_sliding"), HasSubstr("would be another model"));
  EXPECT_THAT(error_of("llama/tied", {{"hidden_act", "gelu"}}), HasSubstr("would be another model"));
}

TEST_F(GgufExport, TypesAreThoseOfLlamaCpp) {
  const ModelSource source = open_model(data / "llama/tied");
  for (const auto& [name, file_type, of_48] :
       {std::tuple{"q8_0", 7, GgufTensorType::f16}, std::tuple{"float16", 1, GgufTensorType::f16},
        std::tuple{"bfloat16", 32, GgufTensorType::bf16}, std::tuple{"float32", 0, GgufTensorType::f32}}) {
    convert_model(data / "llama/tied", root_ / "model.gguf", {.format = "gguf", .dtype = name});
    const GgufFile file(root_ / "model.gguf");
    EXPECT_EQ(file.metadata().integer("general.file_type"), file_type);
    EXPECT_EQ(file.tensors().at("output_norm.weight").type, GgufTensorType::f32);
    EXPECT_EQ(file.tensors().at("blk.0.ffn_down.weight").type, of_48) << name;  // rows of 48 values
  }
  convert_model(data / "llama/bf16", root_ / "model.gguf", {.format = "gguf", .dtype = ""});
  EXPECT_EQ(GgufFile(root_ / "model.gguf").tensors().at("token_embd.weight").type, GgufTensorType::bf16);
}

TEST_F(GgufExport, GivesAFolderBack) {
  convert_model(data / "gguf/qwen3.gguf", root_ / "folder", {.format = "hf", .dtype = ""});
  EXPECT_TRUE(at::equal(logits(open_model(root_ / "folder")), logits(open_model(data / "models/qwen3"))));
}

// A tokenizer of each kind goes through a GGUF file of libilt's and gives the same ids.
TEST_F(GgufExport, TokenizersComeBack) {
  const Json expected = parse_json(read_file(data / "gguf/tokenizer/expected.json"), "expected.json");
  for (const auto& [kind, golden] : expected.items()) {
    const auto from = open_model_files(data / "gguf/tokenizer" / (kind + ".gguf"));
    fs::create_directories(root_ / kind);
    for (const char* name : {"tokenizer.json", "tokenizer_config.json"})
      write_file(root_ / kind / name, from->read(name));
    const ModelSource tied = open_model(data / "llama/tied");
    Json config = tied.config();
    config["vocab_size"] = 700;
    std::map<std::string, SourceTensor> tensors = tied.tensors();
    tensors.at("model.embed_tokens.weight") = {{DType::f32, {700, 32}},
                                               [](std::span<float> out) { std::fill(out.begin(), out.end(), 0.5F); }};
    export_gguf({root_ / kind, std::make_shared<FolderFiles>(root_ / kind), config, tensors}, root_ / "model.gguf",
                GgufTensorType::f32);
    const auto files = open_model_files(root_ / "model.gguf");
    EXPECT_EQ(GgufFile(root_ / "model.gguf").metadata().texts("tokenizer.ggml.tokens").size(), 700U);
    const Tokenizer tokenizer = Tokenizer::load(*files);
    for (std::size_t i = 0; i < golden["texts"].size(); ++i)
      EXPECT_EQ(Json(tokenizer.encode(golden["texts"][i].get<std::string>()).ids), golden["ids"][i]) << kind;
    EXPECT_EQ(tokenizer.encode("a", true).ids.size(), tokenizer.encode("a").ids.size() + golden["added"].size())
        << kind;
    EXPECT_EQ(tokenizer.eos_id(), 2) << kind;
    EXPECT_EQ(files->read("tokenizer_config.json").find("chat_template") != std::string::npos, kind != "spm");
  }
}

}  // namespace
}  // namespace ilt
