// Opening model folders: shards and their index, and folders that are none, each with an error that says what to do.
#include "weights/model_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.h"
#include "weights/weight_index.h"

namespace ilt {
namespace {

using testing::HasSubstr;

class ModelFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(root_ / "empty");
    fs::create_directories(folder_);
    write_file(folder_ / "config.json", R"({"model_type":"llama"})");
  }
  void TearDown() override { fs::remove_all(root_); }

  void write_shard(const std::string& name, const std::vector<std::string>& tensors) const {
    std::vector<SafetensorsWriter::Entry> entries;
    for (const std::string& t : tensors) entries.push_back({t, {DType::f32, {1}}});
    SafetensorsWriter writer(folder_ / name, entries);
    const std::vector<float> values(tensors.size(), 7.0F);
    writer.write(std::as_bytes(std::span(values)));
    writer.finish();
  }
  void write_index(const std::string& text) const { write_file(folder_ / "model.safetensors.index.json", text); }

  // "STATUS: message" of opening the folder.
  static std::string error_of(const fs::path& path) {
    try {
      open_model_folder(path);
    } catch (const Error& e) {
      EXPECT_TRUE(e.detail().contains("file"));
      return fmt::format("{}: {}", static_cast<int>(e.status()), e.what());
    }
    return "no error";
  }
  std::string error() const { return error_of(folder_); }
  static std::string status(Status s) { return fmt::format("{}: ", static_cast<int>(s)); }

  const fs::path root_ = fs::temp_directory_path() / fmt::format("ilt_model_folder_{}", ::getpid());
  const fs::path folder_ = root_ / "model";
};

TEST_F(ModelFolderTest, ReadsOneFile) {
  write_shard("model.safetensors", {"a", "b"});
  write_index("broken, and not read");
  const ModelSource folder = open_model_folder(folder_);
  EXPECT_EQ(folder.tensors().size(), 2U);
  EXPECT_EQ(folder.config()["model_type"], "llama");
}

TEST_F(ModelFolderTest, ReadsShards) {
  write_shard("one.safetensors", {"a", "b"});
  write_shard("two.safetensors", {"c"});
  write_index(R"({"weight_map":{"c":"two.safetensors","a":"one.safetensors","b":"one.safetensors"}})");
  const ModelSource folder = open_model_folder(folder_);
  ASSERT_EQ(folder.tensors().size(), 3U);
  float value = 0;
  folder.tensors().at("c").read({&value, 1});
  EXPECT_EQ(value, 7.0F);
}

TEST_F(ModelFolderTest, ShardsThatDoNotFitTheIndexAreRefused) {
  write_shard("one.safetensors", {"a", "b"});
  write_index(R"({"weight_map":{"a":"one.safetensors","b":"two.safetensors"}})");
  EXPECT_THAT(error(), HasSubstr(status(Status::not_found)));
  EXPECT_THAT(error(), HasSubstr("two.safetensors that model.safetensors.index.json names is missing"));
  write_shard("two.safetensors", {"b"});
  EXPECT_THAT(error(), HasSubstr("one.safetensors holds 'b', but model.safetensors.index.json places it in two"));
  write_shard("one.safetensors", {"a", "x"});
  EXPECT_THAT(error(), HasSubstr("holds 'x', but model.safetensors.index.json does not name it"));
  write_shard("one.safetensors", {});
  EXPECT_THAT(error(), HasSubstr("'a' is missing from one.safetensors"));
  EXPECT_THAT(error(), HasSubstr(status(Status::format)));
}

TEST_F(ModelFolderTest, BrokenIndexesAreRefused) {
  for (const char* text : {"", "[]", "{}", "3", R"({"weight_map":[]})", R"({"weight_map":{}})",
                           R"({"weight_map":{"a":1}})", "{\"weight_map\":{\"a\":\"\xff\"}}"}) {
    write_index(text);
    EXPECT_THAT(error(), HasSubstr(status(Status::format))) << text;
    EXPECT_THAT(error(), HasSubstr("model.safetensors.index.json: found ")) << text;
  }
}

TEST_F(ModelFolderTest, ShardNamesThatLeaveTheFolderAreRefused) {
  for (const char* name : {"../x.safetensors", "/etc/passwd", "a/b.safetensors", "..", ".", "", "a\\\\b", "a\\u0000"}) {
    write_index(fmt::format(R"({{"weight_map":{{"a":"{}"}}}})", name));
    EXPECT_THAT(error(), HasSubstr("expected a file name in the same folder")) << name;
  }
}

TEST_F(ModelFolderTest, FoldersThatAreNoneSayWhatToDo) {
  EXPECT_THAT(error_of(root_ / "nowhere"), HasSubstr(status(Status::not_found)));
  EXPECT_THAT(error_of(root_ / "nowhere"), HasSubstr("does not exist"));
  EXPECT_THAT(error_of("HuggingFaceTB/SmolLM2-135M"), HasSubstr("hf download HuggingFaceTB/SmolLM2-135M"));
  EXPECT_THAT(error_of(folder_ / "config.json"), HasSubstr("is a file"));
  EXPECT_THAT(error_of(root_ / "empty"), HasSubstr("no config.json"));
  EXPECT_THAT(error(), HasSubstr("neither model.safetensors nor"));
  write_file(root_ / "empty" / "adapter_config.json", "{}");
  EXPECT_THAT(error_of(root_ / "empty"), HasSubstr("merge it"));
}

TEST_F(ModelFolderTest, WeightsInOtherFormatsAreUnsupported) {
  write_file(folder_ / "pytorch_model.bin", "");
  EXPECT_THAT(error(), HasSubstr(status(Status::unsupported)));
  EXPECT_THAT(error(),
              HasSubstr("pytorch_model.bin is of a kind that libilt does not read: convert it to safetensors"));
  write_file(folder_ / "model-q4.gguf", "");
  EXPECT_THAT(error(), HasSubstr("but model-q4.gguf: give that file itself"));
}

TEST_F(ModelFolderTest, BrokenConfigIsAFormatError) {
  for (const char* text : {"", "{", "[]", "null"}) {
    write_file(folder_ / "config.json", text);
    try {
      open_model_folder(folder_);
      ADD_FAILURE() << text;
    } catch (const Error& e) {
      EXPECT_EQ(e.status(), Status::format) << text;
      EXPECT_THAT(e.what(), HasSubstr("config.json: ")) << text;
    }
  }
}

TEST_F(ModelFolderTest, LargeIndexesTakeLinearTime) {
  std::string text = R"({"weight_map":{)";
  for (int i = 0; i < 100'000; ++i) text += fmt::format(R"({}"model.layers.{}":"x")", i > 0 ? "," : "", i);
  write_index(text + "}}");
  EXPECT_EQ(read_weight_index(folder_ / "model.safetensors.index.json").size(), 100'000U);
}

}  // namespace
}  // namespace ilt
