// Plain and packed files give the same bytes; broken ones say so.
#include "data/byte_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include "base/error.h"
#include "data/jsonl.h"
#include "text/support.h"

namespace ilt {
namespace {

using testing::HasSubstr;

std::string gzip(const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string zstd(const std::string& bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 3));
  return packed;
}

std::string read_all(const std::string& path, std::size_t piece) {
  const auto source = open_bytes(path);
  std::string all;
  std::string buffer(piece, '\0');
  for (std::size_t n; (n = source->read(buffer)) > 0;) all.append(buffer, 0, n);
  return all;
}

std::string error_of(const std::string& path) {
  try {
    read_all(path, 1000);
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::data);
    return error.what();
  }
  return "no error";
}

class Bytes : public testing::Test {
 protected:
  Bytes() {
    for (int i = 0; i < 40000; ++i) text_ += std::to_string(i * 7919) + "\n";
  }
  test::ScratchFolder folder_;
  std::string text_;
};

TEST_F(Bytes, AreTheSameHoweverPacked) {
  const std::string half = text_.substr(0, text_.size() / 2);
  const std::string rest = text_.substr(half.size());
  for (const auto& [name, bytes] : std::map<std::string, std::string>{{"plain", text_},
                                                                      {"gzip", gzip(text_)},
                                                                      {"two gzip members", gzip(half) + gzip(rest)},
                                                                      {"zstd", zstd(text_)},
                                                                      {"two zstd frames", zstd(half) + zstd(rest)}}) {
    const std::string path = folder_.write("data", bytes);
    for (const std::size_t piece : {1, 100, 65536, 1 << 20}) EXPECT_TRUE(read_all(path, piece) == text_) << name;
    JsonlReader reader(path);
    reader.skip_to(10);
    LineBatch batch;
    std::int64_t next = 11;
    while (reader.next(batch, 5000)) {
      for (const Line& line : batch.lines) {
        ASSERT_EQ(line.number, next);
        ASSERT_EQ(line.text, std::to_string((next - 1) * 7919));
        ++next;
      }
    }
    EXPECT_EQ(next, 40001) << name;
  }
}

TEST_F(Bytes, EmptyFilesAreEmpty) {
  EXPECT_EQ(read_all(folder_.write("a", ""), 10), "");
  EXPECT_EQ(read_all(folder_.write("a.gz", gzip("")), 10), "");
  EXPECT_EQ(read_all(folder_.write("a.zst", zstd("")), 10), "");
}

TEST_F(Bytes, SayWhatIsBroken) {
  for (const auto& [kind, bytes] : {std::pair{"gzip", gzip(text_)}, std::pair{"zstd", zstd(text_)}}) {
    EXPECT_THAT(error_of(folder_.write("cut", bytes.substr(0, bytes.size() - 9))),
                testing::AllOf(HasSubstr("cut: "), HasSubstr(kind), HasSubstr("cut short")));
    EXPECT_THAT(error_of(folder_.write("cut", bytes.substr(0, 40))), HasSubstr("cut short"));
    std::string broken = bytes;
    for (std::size_t i = broken.size() / 2; i < broken.size() / 2 + 50; ++i) broken[i] = static_cast<char>(~broken[i]);
    EXPECT_THAT(error_of(folder_.write("broken", broken)), testing::AllOf(HasSubstr("broken: "), HasSubstr(kind)));
  }
  EXPECT_THAT(error_of(folder_.write("a.parquet", "PAR1xxxxxxxx")), HasSubstr("Parquet"));
  EXPECT_THAT(error_of(folder_.write("utf16", "\xFF\xFE{")), HasSubstr("UTF-16"));
}

}  // namespace
}  // namespace ilt
