// Exporting a model folder: shards, companions, and nothing left behind where it fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/error.h"
#include "weights/export.h"
#include "weights/model_folder.h"

namespace ilt {
namespace {

using testing::HasSubstr;

class ExportTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(source_ / "subfolder");
    write_file(source_ / "config.json", "{\n \"a\": null,  \"vocab_size\": 3\n}");
    write_file(source_ / "tokenizer.json", "{\"t\": 1}");
    write_file(source_ / "LICENSE", "words");
    write_file(source_ / "pytorch_model.bin", "old");
    write_file(source_ / "other.safetensors", "old");
    write_file(source_ / "pytorch_model.bin.index.json", "{}");
    write_file(source_ / "model.safetensors.index.json", "{}");
    write_file(source_ / ".hidden", "x");
    write_file(source_ / "video.mp4", "");
    fs::resize_file(source_ / "video.mp4", 64'000'001);  // sparse
  }
  void TearDown() override { fs::remove_all(root_); }

  std::vector<ExportTensor> tensors() {
    return {{"a", {DType::f32, {2, 2}}, [this] { return std::span<const float>(values_).first(4); }},
            {"b", {DType::bf16, {3}}, [this] { return std::span<const float>(values_).subspan(4, 3); }}};
  }
  std::vector<std::string> names(const fs::path& folder) {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder)) found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  }

  std::vector<float> values_ = {1, 2, 3, 4, 5, 6, 7};
  const fs::path root_ = fs::temp_directory_path() / fmt::format("ilt_export_{}", ::getpid());
  const fs::path source_ = root_ / "source";
  const fs::path out_ = root_ / "out" / "samples_8";
};

TEST_F(ExportTest, WritesWeightsAndCopiesCompanionsByteForByte) {
  export_model(FolderFiles(source_), out_, tensors(), Json::object());
  EXPECT_EQ(names(out_), (std::vector<std::string>{"LICENSE", "config.json", "model.safetensors", "tokenizer.json"}));
  EXPECT_EQ(read_file(out_ / "config.json"), read_file(source_ / "config.json"));
  EXPECT_EQ(read_file(out_ / "tokenizer.json"), "{\"t\": 1}");
  EXPECT_EQ(names(out_.parent_path()), std::vector<std::string>{"samples_8"});
  const ModelSource folder = open_model_folder(out_);
  EXPECT_EQ(folder.tensors().at("b").info.dtype, DType::bf16);
  std::vector<float> first(4);
  folder.tensors().at("a").read(first);
  EXPECT_EQ(first[1], 2.0F);
}

TEST_F(ExportTest, SplitsIntoShardsWithAnIndex) {
  export_model(FolderFiles(source_), out_, tensors(), {{"dtype", "float32"}}, /*max_shard_bytes=*/16);
  EXPECT_TRUE(fs::exists(out_ / "model-00002-of-00002.safetensors"));
  const ModelSource folder = open_model_folder(out_);
  EXPECT_EQ(folder.tensors().size(), 2U);
  EXPECT_EQ(folder.config()["dtype"], "float32");
  EXPECT_TRUE(folder.config()["a"].is_null());
  const Json index = parse_json(read_file(out_ / "model.safetensors.index.json"), "index");
  EXPECT_EQ(index["metadata"]["total_size"], 22);
}

TEST_F(ExportTest, NonFiniteWeightLeavesNothingAndKeepsWhatWasThere) {
  export_model(FolderFiles(source_), out_, tensors(), Json::object());
  const std::string before = read_file(out_ / "model.safetensors");
  values_[5] = NAN;
  try {
    export_model(FolderFiles(source_), out_, tensors(), Json::object());
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.status(), Status::numeric);
    EXPECT_THAT(e.what(), HasSubstr("'b'"));
  }
  EXPECT_EQ(read_file(out_ / "model.safetensors"), before);
  EXPECT_EQ(names(out_.parent_path()), std::vector<std::string>{"samples_8"});
}

TEST_F(ExportTest, ReplacesAnExistingFolderWhole) {
  export_model(FolderFiles(source_), out_, tensors(), Json::object());
  write_file(out_ / "stale", "x");
  values_[0] = 9;
  export_model(FolderFiles(source_), out_, tensors(), Json::object());
  EXPECT_FALSE(fs::exists(out_ / "stale"));
  EXPECT_EQ(names(out_.parent_path()), std::vector<std::string>{"samples_8"});
}

TEST_F(ExportTest, FailureMidwayLeavesNothing) {
  auto failing = tensors();
  failing[1].values = []() -> std::span<const float> { throw std::runtime_error("midway"); };
  EXPECT_THROW(export_model(FolderFiles(source_), out_, failing, Json::object()), std::runtime_error);
  failing[1].values = [this] { return std::span<const float>(values_).first(2); };  // one too few
  EXPECT_THROW(export_model(FolderFiles(source_), out_, failing, Json::object(), 16), Error);
  EXPECT_TRUE(names(out_.parent_path()).empty());
}

TEST_F(ExportTest, OverflowOfTheStoredTypeIsRefused) {
  auto halves = tensors();
  halves[0].info.dtype = DType::f16;
  values_[3] = 65519.0F;
  export_model(FolderFiles(source_), out_, halves, Json::object());
  values_[3] = -65520.0F;
  try {
    export_model(FolderFiles(source_), out_, halves, Json::object());
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.status(), Status::numeric);
    EXPECT_EQ(e.detail()["tensor"], "a");
    EXPECT_EQ(e.detail()["index"], 3);
    EXPECT_THAT(e.what(), HasSubstr("wider type"));
  }
}

TEST_F(ExportTest, LargeTensorsAreWrittenInPieces) {
  std::vector<float> many((2 << 20) + 3);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<float>(i % 1024);
  const auto size = static_cast<std::int64_t>(many.size());
  export_model(FolderFiles(source_), out_,
               {{"many", {DType::bf16, {size}}, [&] { return std::span<const float>(many); }}}, {});
  const ModelSource folder = open_model_folder(out_);
  std::vector<float> read(many.size());
  folder.tensors().at("many").read(read);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = i % 1024 < 256 ? many[i] : read[i];  // exact below 256
  EXPECT_EQ(read, many);
  many[(2 << 20) + 1] = INFINITY;
  try {
    export_model(FolderFiles(source_), out_,
                 {{"many", {DType::bf16, {size}}, [&] { return std::span<const float>(many); }}}, {});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.detail()["index"], (2 << 20) + 1);
  }
}

TEST_F(ExportTest, MissingSourceIsNotFound) {
  fs::remove_all(source_);
  try {
    export_model(FolderFiles(source_), out_, tensors(), Json::object());
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.status(), Status::not_found);
  }
  EXPECT_FALSE(fs::exists(out_));
}

TEST_F(ExportTest, ExportsOntoItsOwnSource) {
  export_model(FolderFiles(source_), out_, tensors(), Json::object());
  values_[0] = 9;
  export_model(FolderFiles(out_), out_, tensors(), {{"dtype", "bfloat16"}});
  EXPECT_EQ(names(out_), (std::vector<std::string>{"LICENSE", "config.json", "model.safetensors", "tokenizer.json"}));
  EXPECT_EQ(open_model_folder(out_).config()["dtype"], "bfloat16");
}

}  // namespace
}  // namespace ilt
