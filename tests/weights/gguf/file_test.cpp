// Reading GGUF: every type of value and tensor as the Python package gguf reads it; broken files, each with its error.
#include "weights/gguf/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "base/error.h"
#include "weights/convert.h"
#include "weights/gguf/broken_files.h"
#include "weights/gguf/dequantise.h"

namespace ilt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const fs::path goldens = fs::path(ILT_TEST_DATA) / "gguf";

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

// What `body` throws, as "STATUS: message".
template <typename Body>
std::string error_of(Body body) {
  try {
    body();
  } catch (const Error& e) {
    EXPECT_TRUE(e.detail().contains("file"));
    return fmt::format("{}: {}", static_cast<int>(e.status()), e.what());
  }
  return "no error";
}

TEST(GgufFile, ValuesOfEveryType) {
  const GgufFile file(goldens / "types.gguf");
  const GgufMetadata& m = file.metadata();
  EXPECT_EQ(m.text("general.architecture"), "llama");
  const std::map<std::string, std::int64_t> integers = {
      {"uint8", 255},         {"int8", -128},       {"uint16", 65535},     {"int16", -32768},
      {"uint32", 4294967295}, {"int32", INT32_MIN}, {"uint64", INT64_MAX}, {"int64", INT64_MIN}};
  for (const auto& [type, value] : integers) EXPECT_EQ(m.integer("value." + type), value) << type;
  EXPECT_EQ(m.number("value.float32"), 1e-5);  // not the nearest float's value
  EXPECT_EQ(m.number("value.float64"), 1e-5);
  EXPECT_EQ(m.number("value.uint8"), 255.0);
  EXPECT_TRUE(m.boolean_or("value.bool", false));
  EXPECT_EQ(m.text("value.string"), "ü\n");
  EXPECT_THAT(m.integers("array.int32"), ElementsAre(1, -2, 3));
  EXPECT_THAT(m.floats("array.float32"), ElementsAre(0.5F, -0.25F));
  EXPECT_THAT(m.texts("array.string"), ElementsAre("", "a", "ü"));
  EXPECT_EQ(m.integer_or("none", 7), 7);
  EXPECT_EQ(m.text_or("none", "x"), "x");
  EXPECT_EQ(m.number_or("none", 0.5), 0.5);
}

TEST(GgufFile, ValuesOfAnotherTypeAreRefusedByName) {
  const GgufFile file(goldens / "types.gguf");
  const GgufMetadata& m = file.metadata();
  EXPECT_THAT(error_of([&] { m.integer("none"); }), HasSubstr("-7: "));
  EXPECT_THAT(error_of([&] { m.integer("none"); }),
              HasSubstr("types.gguf: no valid GGUF file: the metadata: found no key 'none'"));
  EXPECT_THAT(error_of([&] { m.integer("value.float32"); }),
              HasSubstr("the key 'value.float32': found a value of type float32"));
  EXPECT_THAT(error_of([&] { m.integer("value.too_large"); }), HasSubstr("an integer below 2^63"));
  EXPECT_THAT(error_of([&] { m.integer("array.int32"); }), HasSubstr("found an array of 3 int32"));
  EXPECT_THAT(error_of([&] { m.number("value.string"); }), HasSubstr("expected an integer"));
  EXPECT_THAT(error_of([&] { m.boolean_or("value.uint8", true); }), HasSubstr("expected a boolean"));
  EXPECT_THAT(error_of([&] { m.text("value.uint8"); }), HasSubstr("expected a string"));
  EXPECT_THAT(error_of([&] { m.texts("array.int32"); }), HasSubstr("expected an array of strings"));
  EXPECT_THAT(error_of([&] { m.integers("array.string"); }), HasSubstr("expected integers"));
  EXPECT_THAT(error_of([&] { m.floats("array.int32"); }), HasSubstr("expected an array of float32"));
}

TEST(GgufFile, TextThatIsNotUtf8IsRefused) {
  const std::string head = gguf_head(0, 2) + gguf_string("a") + gguf_type(GgufValueType::string) + gguf_string("\xff") +
                           gguf_string("b") + gguf_type(GgufValueType::array) + gguf_type(GgufValueType::string) +
                           gguf_number<std::uint64_t>(2) + gguf_string("x") + gguf_string("\xff");
  const GgufContent content = read_gguf(bytes_of(head), "file");
  EXPECT_THAT(error_of([&] { content.metadata.text("a"); }), HasSubstr("expected a string in UTF-8"));
  EXPECT_THAT(error_of([&] { content.metadata.texts("b"); }), HasSubstr("the key 'b', entry 1: found other bytes"));
}

TEST(GgufFile, TensorsOfEveryTypeHaveTheValuesThatThePackageGives) {
  const GgufFile file(goldens / "types.gguf");
  const SafetensorsFile expected(goldens / "types.safetensors");
  for (const auto& [name, tensor] : file.tensors()) {
    const TensorView& view = expected.tensors().at(name);
    ASSERT_EQ(tensor.shape, view.info.shape) << name;
    std::vector<float> found(static_cast<std::size_t>(tensor.numel()));
    std::vector<float> wanted(found.size());
    dequantise(tensor.type, tensor.bytes, found);
    to_float(view, wanted);
    EXPECT_EQ(std::memcmp(found.data(), wanted.data(), found.size() * sizeof(float)), 0) << name;
  }
  EXPECT_EQ(file.tensors().size(), 11U);
}

TEST(GgufFile, BrokenFilesAreRefused) {
  for (const BrokenGguf& broken : broken_gguf_files()) {
    const std::string error = error_of([&] { read_gguf(bytes_of(broken.bytes), "dir/file.gguf"); });
    EXPECT_THAT(error, HasSubstr(broken.reason)) << broken.name;
    EXPECT_THAT(error, HasSubstr("dir/file.gguf: ")) << broken.name;
  }
}

TEST(GgufFile, TruncatedFilesAreRefused) {
  const std::string whole = read_file(goldens / "types.gguf");
  for (std::size_t size = 0; size < whole.size(); size += size < 3000 ? 1 : 997)
    EXPECT_THROW(read_gguf(bytes_of(whole).first(size), "cut"), Error) << size;
}

TEST(GgufFile, AlignmentMayBeOther) {
  const std::string head = gguf_head(2, 1) + gguf_string("general.alignment") + gguf_type(GgufValueType::u32) +
                           gguf_number<std::uint32_t>(64) + gguf_entry("a", {3, 2}, 0, 0) + gguf_entry("b", {1}, 0, 64);
  std::string file = head;
  file.resize((file.size() + 63) / 64 * 64);
  const std::size_t begin = file.size();
  file.append(68, '\2');
  const GgufContent content = read_gguf(bytes_of(file), "file");
  EXPECT_THAT(content.tensors.at("a").shape, ElementsAre(2, 3));
  EXPECT_EQ(content.tensors.at("b").bytes.data(), bytes_of(file).data() + begin + 64);
}

TEST(GgufFile, TypesThatAreNotReadAreNamed) {
  std::vector<std::byte> block(66);
  std::vector<float> out(256);
  try {
    dequantise(static_cast<GgufTensorType>(16), block, out);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.status(), Status::unsupported);
    EXPECT_THAT(e.what(), HasSubstr("IQ2_XXS"));
    EXPECT_THAT(e.what(), HasSubstr("Q6_K"));
  }
}

}  // namespace
}  // namespace ilt
