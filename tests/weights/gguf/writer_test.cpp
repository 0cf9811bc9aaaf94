// Writing GGUF: what the reader reads back, Q8_0 as the Python package quantises, nothing left where it fails.
#include "weights/gguf/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "weights/convert.h"
#include "weights/gguf/file.h"
#include "weights/gguf/quantise.h"
#include "weights/safetensors.h"

namespace ilt {
namespace {

using testing::ElementsAre;

const fs::path goldens = fs::path(ILT_TEST_DATA) / "gguf";

class GgufWriterTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(root_); }
  void TearDown() override { fs::remove_all(root_); }
  std::size_t file_count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(root_), fs::directory_iterator()));
  }

  const fs::path root_ = fs::temp_directory_path() / fmt::format("ilt_gguf_writer_{}", ::getpid());
  const fs::path path_ = root_ / "model.gguf";
};

GgufHead example_head() {
  GgufHead head;
  head.add_text("text", "ü");
  head.add_u32("u32", 4294967295U);
  head.add_f32("f32", 0.1F);
  head.add_boolean("yes", true);
  head.add_texts("texts", {"a", "", "b c"});
  head.add_i32s("i32s", {-1, 2});
  head.add_f32s("f32s", {0.5F});
  head.add_tensor("matrix", GgufTensorType::f32, {2, 3});
  head.add_tensor("vector", GgufTensorType::f16, {3});
  return head;
}

TEST_F(GgufWriterTest, IsReadBack) {
  const std::vector<float> matrix = {1, 2, 3, 4, 5, 6};
  {
    GgufWriter writer(path_, example_head());
    writer.write(std::as_bytes(std::span(matrix)).first(8));  // in pieces
    writer.write(std::as_bytes(std::span(matrix)).subspan(8));
    writer.end_tensor();
    std::vector<std::byte> halves(6);
    quantise(GgufTensorType::f16, std::span(matrix).first(3), halves);
    writer.write(halves);
    writer.end_tensor();
    EXPECT_FALSE(fs::exists(path_));
    writer.finish();
  }
  EXPECT_EQ(file_count(), 1U);
  const GgufFile file(path_);
  const GgufMetadata& m = file.metadata();
  EXPECT_EQ(m.text("text"), "ü");
  EXPECT_EQ(m.integer("u32"), 4294967295);
  EXPECT_EQ(m.number("f32"), 0.1);
  EXPECT_TRUE(m.boolean_or("yes", false));
  EXPECT_THAT(m.texts("texts"), ElementsAre("a", "", "b c"));
  EXPECT_THAT(m.integers("i32s"), ElementsAre(-1, 2));
  EXPECT_THAT(m.floats("f32s"), ElementsAre(0.5F));
  EXPECT_THAT(file.tensors().at("matrix").shape, ElementsAre(2, 3));
  EXPECT_EQ(std::memcmp(file.tensors().at("matrix").bytes.data(), matrix.data(), 24), 0);
  EXPECT_EQ(file.tensors().at("vector").bytes.size(), 6U);
}

TEST_F(GgufWriterTest, LeavesNothingWhereItIsNotFinished) {
  {
    GgufWriter writer(path_, example_head());
  }
  EXPECT_EQ(file_count(), 0U);
  {
    GgufWriter writer(path_, example_head());
    EXPECT_THROW(writer.finish(), Error);
    EXPECT_THROW(writer.write(std::vector<std::byte>(1000)), Error);
  }
  EXPECT_EQ(file_count(), 0U);
}

TEST(GgufHeadTest, IsReadWithoutData) {
  const std::string bytes = example_head().bytes();
  const GgufContent content = read_gguf_head(std::as_bytes(std::span(bytes)), "head");
  EXPECT_EQ(content.metadata.text("text"), "ü");
  EXPECT_THAT(content.tensors.at("matrix").shape, ElementsAre(2, 3));
  EXPECT_TRUE(content.tensors.at("matrix").bytes.empty());
}

TEST(GgufQuantise, GivesTheBytesOfThePackage) {
  const GgufFile expected(goldens / "types.gguf");
  const SafetensorsFile values(goldens / "types.safetensors");
  const TensorView& view = values.tensors().at("q8_0.from");
  std::vector<float> from(static_cast<std::size_t>(view.info.numel()));
  to_float(view, from);
  for (const auto& [name, type] : {std::pair{"q8_0", GgufTensorType::q8_0}, std::pair{"f16", GgufTensorType::f16},
                                   std::pair{"bf16", GgufTensorType::bf16}, std::pair{"f32", GgufTensorType::f32}}) {
    const GgufTensor& tensor = expected.tensors().at(name);
    std::vector<std::byte> bytes(tensor.bytes.size());
    quantise(type, from, bytes);
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), tensor.bytes.begin())) << name;
  }
}

TEST(GgufQuantise, SizesMustAgree) {
  const std::vector<float> values(33);
  std::vector<std::byte> bytes(34);
  EXPECT_THROW(quantise(GgufTensorType::q8_0, values, bytes), Error);
  EXPECT_THROW(quantise(GgufTensorType::q8_0, std::span(values).first(32), std::span(bytes).first(33)), Error);
  EXPECT_THROW(quantise(GgufTensorType::q4_0, values, bytes), Error);
}

}  // namespace
}  // namespace ilt
