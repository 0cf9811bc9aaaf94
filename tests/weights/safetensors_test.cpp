// The safetensors reader against files of the Python package and broken ones of every kind; the writer against the
// reader.
#include "weights/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <filesystem>

#include "base/error.h"
#include "base/rng.h"
#include "weights/broken_files.h"
#include "weights/convert.h"
#include "weights/safetensors_header.h"

namespace ilt {
namespace {

using testing::HasSubstr;

const fs::path golden_folder = fs::path(ILT_TEST_DATA) / "weights";

std::string hex_of(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte b : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(b));
  return text;
}

std::vector<std::string> fp32_bits(const TensorView& view) {
  std::vector<float> values(static_cast<std::size_t>(view.info.numel()));
  to_float(view, values);
  std::vector<std::string> bits;
  for (const float v : values) bits.push_back(fmt::format("{:08x}", std::bit_cast<std::uint32_t>(v)));
  return bits;
}

TEST(SafetensorsReader, ReadsWhatThePythonPackageWrites) {
  const SafetensorsFile file(golden_folder / "dtypes.safetensors");
  const Json expected = parse_json(read_file(golden_folder / "dtypes.json"), "dtypes.json");
  EXPECT_EQ(file.metadata().at("source"), "weights_goldens.py");
  ASSERT_EQ(file.tensors().size(), expected.size());
  for (const auto& [name, tensor] : expected.items()) {
    const TensorView& view = file.tensors().at(name);
    EXPECT_EQ(dtype_name(view.info.dtype), tensor["dtype"].get<std::string>()) << name;
    EXPECT_EQ(view.info.shape, tensor["shape"].get<std::vector<std::int64_t>>()) << name;
    EXPECT_EQ(hex_of(view.bytes), tensor["bytes"].get<std::string>()) << name;
    if (tensor.contains("values")) {
      EXPECT_EQ(fp32_bits(view), tensor["values"].get<std::vector<std::string>>()) << name;
    }
  }
}

TEST(SafetensorsReader, BrokenFilesAreRefusedWithTheirNameAndTheReason) {
  for (const BrokenFile& b : broken_files()) {
    try {
      read_safetensors(std::as_bytes(std::span(b.bytes)), "folder/model.safetensors");
      ADD_FAILURE() << b.name << " was read";
    } catch (const Error& e) {
      EXPECT_EQ(e.status(), Status::format) << b.name;
      EXPECT_THAT(e.what(), HasSubstr("folder/model.safetensors: ")) << b.name;
      EXPECT_THAT(e.what(), HasSubstr(b.reason)) << b.name;
      EXPECT_EQ(e.detail()["file"], "folder/model.safetensors") << b.name;
      EXPECT_TRUE(e.detail().contains("got")) << b.name;
    }
  }
}

TEST(SafetensorsReader, ErrorsCarryTheTensorAsData) {
  try {
    const std::string file = safetensors_bytes(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8);
    read_safetensors(std::as_bytes(std::span(file)), "x");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.detail()["tensor"], "a");
    EXPECT_EQ(e.detail()["got"], "[0, 8]");
    EXPECT_EQ(e.detail()["expected"], "12 bytes, as its shape needs");
  }
}

TEST(SafetensorsReader, MissingFileIsNotFound) {
  try {
    const SafetensorsFile file("/nowhere/model.safetensors");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.status(), Status::not_found);
  }
}

TEST(SafetensorsReader, ManyTensorsTakeLinearTime) {
  std::string header = "{";
  for (int i = 0; i < 100'000; ++i)
    header += fmt::format(R"({}"model.layers.{}.weight":{{"dtype":"U8","shape":[1],"data_offsets":[{},{}]}})",
                          i > 0 ? "," : "", i, i, i + 1);
  const std::string file = safetensors_bytes(header + "}", 100'000);
  EXPECT_EQ(read_safetensors(std::as_bytes(std::span(file)), "x").tensors.size(), 100'000U);
}

TEST(SafetensorsReader, MutatedHeadersNeverCrash) {
  const std::string valid =
      safetensors_bytes(R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
                        R"("b":{"dtype":"U8","shape":[3],"data_offsets":[8,11]}})",
                        11);
  constexpr std::string_view alphabet = "0123456789{}[],:\"-.eFBU\\ab ";
  SplitMix64 rng(1);
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = valid;
    for (std::uint64_t n = 1 + rng.below(4); n > 0; --n)
      bytes[rng.below(bytes.size())] =
          rng.below(4) == 0 ? static_cast<char>(rng.next()) : alphabet[rng.below(alphabet.size())];
    bytes.resize(bytes.size() - (rng.below(4) == 0 ? rng.below(20) : 0));
    try {
      const SafetensorsContent content = read_safetensors(std::as_bytes(std::span(bytes)), "x");
      for (const auto& [name, view] : content.tensors) EXPECT_EQ(view.bytes.size(), view.info.num_bytes());
    } catch (const Error& e) {
      EXPECT_EQ(e.status(), Status::format);
      ++refused;
    }
  }
  EXPECT_GT(refused, 10'000);
  EXPECT_LT(refused, 20'000);
}

class SafetensorsWriterTest : public testing::Test {
 protected:
  void TearDown() override { fs::remove(path_); }
  const fs::path path_ = fs::temp_directory_path() / fmt::format("ilt_{}.safetensors", ::getpid());
};

TEST_F(SafetensorsWriterTest, WhatTheWriterWritesTheReaderReads) {
  const SafetensorsFile golden(golden_folder / "dtypes.safetensors");
  std::vector<SafetensorsWriter::Entry> entries;
  for (const auto& [name, view] : golden.tensors()) entries.push_back({name, view.info});
  SafetensorsWriter writer(path_, entries, golden.metadata());
  for (const auto& [name, view] : golden.tensors()) {
    writer.write(view.bytes.first(view.bytes.size() / 2));
    writer.write(view.bytes.subspan(view.bytes.size() / 2));
  }
  writer.finish();

  const SafetensorsFile file(path_);
  EXPECT_EQ(file.metadata(), golden.metadata());
  ASSERT_EQ(file.tensors().size(), golden.tensors().size());
  for (const auto& [name, view] : golden.tensors()) {
    EXPECT_EQ(file.tensors().at(name).info.dtype, view.info.dtype);
    EXPECT_EQ(file.tensors().at(name).info.shape, view.info.shape);
    EXPECT_EQ(hex_of(file.tensors().at(name).bytes), hex_of(view.bytes));
  }
}

TEST_F(SafetensorsWriterTest, HeadersArePaddedTo8Bytes) {
  for (const char* name : {"a", "ab", "abc", "abcdefgh"}) {
    SafetensorsWriter writer(path_, {{name, {DType::u8, {0}}}});
    writer.finish();
    EXPECT_EQ(fs::file_size(path_) % 8, 0U) << name;
  }
}

TEST_F(SafetensorsWriterTest, RefusesTooManyBytesTooFewAndEqualNames) {
  SafetensorsWriter writer(path_, {{"a", {DType::f32, {2}}}});
  const std::vector<std::byte> bytes(9);
  EXPECT_THROW(writer.write(bytes), Error);
  EXPECT_THROW(writer.finish(), Error);
  EXPECT_THROW(SafetensorsWriter(path_, {{"a", {DType::f32, {2}}}, {"a", {DType::f32, {2}}}}), Error);
}

}  // namespace
}  // namespace ilt
