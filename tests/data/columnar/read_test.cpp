// Parquet and Arrow files give what JSON Lines of the same records give; broken ones say where.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "data/corpus.h"
#include "data/jsonl.h"
#include "data/load.h"
#include "data/process.h"
#include "data/processed_file.h"
#include "text/support.h"

namespace ilt {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::vector<std::string> kinds = {"snappy.parquet", "zstd.parquet", "gzip.parquet", "lz4.parquet",
                                        "plain.parquet",  "stream.arrow", "lz4.arrow",    "zstd.arrow"};

std::string path_of(const std::string& name) {
  return (fs::path(ILT_TEST_DATA) / "columnar/files" / name).string();
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The records, which stand on the lines 1, 2, ...
std::vector<std::string> records_of(const std::string& path, std::size_t batch_bytes = 300) {
  std::vector<std::string> records;
  JsonlReader reader(path);
  for (LineBatch batch; reader.next(batch, batch_bytes);) {
    for (const Line& line : batch.lines) {
      const Place place{path, line.number, reader.unit()};
      records.push_back(parse_record(line, place).dump());
      EXPECT_EQ(line.number, records.size());
    }
  }
  return records;
}

std::string error_of(const std::string& path) {
  try {
    records_of(path);
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::data);
    return error.what();
  }
  return "no error";
}

class Columnar : public testing::Test {
 protected:
  Columnar() {
    const std::string source =
        "{{ tools | tojson if tools }}{% for m in messages %}<|im_start|>{{ m.role }}\n"
        "{% if m.reasoning_content %}<think>{{ m.reasoning_content }}</think>{% endif %}"
        "{{ m.content }}{{ m.tool_calls | tojson if m.tool_calls }}<|im_end|>\n{% endfor %}";
    chat_ = ChatTemplate::load(test::data_folder() / "model", folder_.write("template.jinja", source));
  }
  Dataset load(const std::string& path) { return load_dataset(std::vector{path}, tokenizer_, &chat_, options_); }
  DataReport process(const std::string& path, const CancelToken& cancel = {}) {
    return process_dataset(
        std::vector{path}, tokenizer_, &chat_, options_, output_,
        [&](const DataProgress& now) {
          EXPECT_GT(now.bytes_done, 0);
          EXPECT_LE(now.bytes_done, now.bytes_total);
          cancel.cancel();
        },
        cancel);
  }

  test::ScratchFolder folder_;
  Tokenizer tokenizer_ = Tokenizer::load(test::data_folder() / "model");
  ChatTemplate chat_ = ChatTemplate::load(test::data_folder() / "model");
  DataOptions options_{.max_seq_len = 1000};
  fs::path output_ = folder_.path() / "out.safetensors";
};

TEST_F(Columnar, HoldsTheRecordsOfJsonLines) {
  const auto expected = records_of(path_of("rows.jsonl"));
  ASSERT_EQ(expected.size(), 8);
  for (const std::string& kind : kinds) EXPECT_EQ(records_of(path_of(kind)), expected) << kind;
}

TEST_F(Columnar, LeavesOutNullsOfADictionary) {
  EXPECT_THAT(records_of(path_of("dictionary.arrow")),
              testing::ElementsAre(R"({"n":1,"text":"a"})", R"({"n":2})", R"({"n":3})", R"({"n":4,"text":"a"})"));
}

TEST_F(Columnar, GivesTheSameSamples) {
  const Dataset lines = load(path_of("rows.jsonl"));
  EXPECT_THAT(tokenizer_.decode(lines.at(3).ids, false), HasSubstr(R"({"terms": {"type": "array", "default": null}})"));
  Corpus of_lines;
  of_lines.add(std::make_shared<Dataset>(load(path_of("rows.jsonl"))), 0.5);
  const std::string held_out = of_lines.hold_out(0.4, 1).fingerprint();
  for (const std::string& kind : kinds) {
    SCOPED_TRACE(kind);
    const Dataset rows = load(path_of(kind));
    ASSERT_EQ(rows.size(), lines.size());
    for (std::int64_t i = 0; i < rows.size(); ++i) {
      EXPECT_TRUE(std::ranges::equal(rows.at(i).ids, lines.at(i).ids));
      EXPECT_TRUE(std::ranges::equal(rows.at(i).supervised, lines.at(i).supervised));
    }
    EXPECT_EQ(rows.fingerprint(), lines.fingerprint());
    EXPECT_EQ(rows.report.unused_keys, lines.report.unused_keys);
    Corpus of_rows;
    of_rows.add(std::make_shared<Dataset>(load(path_of(kind))), 0.5);
    EXPECT_EQ(of_rows.hold_out(0.4, 1).fingerprint(), held_out);
    EXPECT_EQ(of_rows.fingerprint(), of_lines.fingerprint());
  }
}

TEST_F(Columnar, GoesOnAfterAStop) {
  const std::string many = path_of("many.parquet");
  process(many);
  const std::string expected = bytes_of(output_);
  EXPECT_EQ(open_dataset(output_, tokenizer_).size(), 200);
  fs::remove(output_);
  int runs = 1;
  for (; !fs::exists(output_) && runs < 20; ++runs) {
    try {
      process(many, CancelToken::make());
    } catch (const Stopped&) {
    }
  }
  EXPECT_GT(runs, 2);
  EXPECT_TRUE(bytes_of(output_) == expected);
}

TEST_F(Columnar, CountsRowsWhereThereAreNoLines) {
  options_.max_seq_len = 40;
  options_.overlong = Overlong::error;
  EXPECT_THAT([&] { load(path_of("stream.arrow")); },
              testing::ThrowsMessage<Error>(AllOf(HasSubstr("stream.arrow row 2: "), HasSubstr("max_seq_len is 40"))));
}

TEST_F(Columnar, NamesBrokenRowsAndTheirColumn) {
  std::string bytes = bytes_of(path_of("many.parquet"));
  // The last zstd frame before the footer is a page of the last column of the second row group.
  const auto padding = bytes.rfind("\x28\xB5\x2F\xFD");
  bytes[padding + 6] = static_cast<char>(~bytes[padding + 6]);
  EXPECT_THAT(error_of(folder_.write("a.parquet", bytes)),
              AllOf(HasSubstr("a.parquet"), HasSubstr("rows 151 to 200 (row group 2 of 2), column \"padding\": ")));
  bytes = bytes_of(path_of("zstd.arrow"));
  const auto frame = bytes.rfind("\x28\xB5\x2F\xFD");
  bytes[frame + 6] = static_cast<char>(~bytes[frame + 6]);
  EXPECT_THAT(error_of(folder_.write("a.arrow", bytes)),
              AllOf(HasSubstr("a.arrow"), HasSubstr("rows 1 to 8 (record batch 1), column \"tags\": ")));
  bytes = bytes_of(path_of("stream.arrow"));
  const auto json = bytes.rfind("alpha");
  bytes[json - 1] = '\\';
  EXPECT_THAT(error_of(folder_.write("b.arrow", bytes)), HasSubstr("row 7, column \"tools\": no valid JSON: "));
}

TEST_F(Columnar, IsRefusedCutShort) {
  for (const std::string& kind : kinds) {
    const std::string bytes = bytes_of(path_of(kind));
    // The index at the end of an Arrow file is not needed.
    const std::size_t needed = kind.ends_with(".parquet") ? bytes.size() : bytes.rfind("\xFF\xFF\xFF\xFF") + 8;
    for (std::size_t size = 8; size < needed; size += size < needed - 20 ? 97 : 1) {
      EXPECT_THAT(error_of(folder_.write("cut", bytes.substr(0, size))), HasSubstr("cut: ")) << kind << ' ' << size;
    }
  }
}

// A Thrift struct of a footer: version 1, then a list of schema elements, each a group "a" of one child, or of
// `children`.
std::string nested(int levels, const std::string& children) {
  std::string footer = "\x15\x02\x19\xFC";
  for (unsigned left = static_cast<unsigned>(levels); left > 0; left >>= 7) {
    footer += static_cast<char>((left & 0x7F) | (left > 0x7F ? 0x80 : 0));
  }
  for (int i = 0; i < levels; ++i) footer += std::string("\x35\x02\x18\x01") + "a\x15" + children + '\0';
  std::string size(4, '\0');
  for (std::size_t i = 0; i < 4; ++i) size[i] = static_cast<char>(footer.size() >> (8 * i));
  return "PAR1" + footer + size + "PAR1";
}

TEST_F(Columnar, StopsAtSizesThatNoFileHas) {
  EXPECT_THAT(error_of(folder_.write("deep", nested(200'000, "\x02"))), HasSubstr("schema"));
  EXPECT_THAT(error_of(folder_.write("wide", nested(2, "\xFE\xFF\xFF\xFF\x0F"))), HasSubstr("schema"));
  std::string bytes = bytes_of(path_of("zstd.arrow"));
  const auto frame = bytes.find("\x28\xB5\x2F\xFD");
  bytes[frame - 2] = 0x7F;  // of the size that the frame unpacks to
  EXPECT_THAT(error_of(folder_.write("a.arrow", bytes)), HasSubstr("a buffer that unpacks to "));
}

}  // namespace
}  // namespace ilt
