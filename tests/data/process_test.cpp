// Processed files: the same samples as in memory, whole or not at all, going on after a stop, refused when damaged.
#include "data/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "base/rng.h"
#include "data/load.h"
#include "data/processed_file.h"
#include "data/stats.h"
#include "text/support.h"

namespace ilt {
namespace {

using testing::HasSubstr;

std::string row(const std::string& question, const std::string& answer) {
  return Json{{"messages", {{{"role", "user"}, {"content", question}}, {{"role", "assistant"}, {"content", answer}}}}}
             .dump() +
         "\n";
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Process : public testing::Test {
 protected:
  Process() {
    SplitMix64 rng(1);
    std::string bytes;
    const std::string padding(1000, ' ');  // so that there are several batches without many tokens
    for (int i = 0; i < 6000; ++i) {
      bytes += padding + row("What is " + std::to_string(rng.below(1000)) + "?", i % 100 == 7 ? "" : std::to_string(i));
    }
    data_ = folder_.write("rows.jsonl", bytes);
    output_ = folder_.path() / "rows.safetensors";
  }

  DataReport process(const ProgressFn& progress = {}, const CancelToken& cancel = {}) {
    return process_dataset(std::vector{data_}, tokenizer_, &chat_, options_, output_, progress, cancel);
  }
  bool partial_left() const { return fs::exists(output_.string() + ".partial"); }
  // What opening the file with these bytes says.
  std::string fault(const std::string& bytes) const {
    try {
      Dataset::open(folder_.write("faulty.safetensors", bytes));
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::format);
      return error.what();
    }
    return "no error";
  }

  test::ScratchFolder folder_;
  Tokenizer tokenizer_ = Tokenizer::load(test::data_folder() / "model");
  ChatTemplate chat_ = ChatTemplate::load(test::data_folder() / "model");
  DataOptions options_{.max_seq_len = 64};
  std::string data_;
  fs::path output_;
};

TEST_F(Process, GivesWhatLoadingGives) {
  const DataReport report = process();
  const Dataset loaded = load_dataset(std::vector{data_}, tokenizer_, &chat_, options_);
  const Dataset mapped = open_dataset(output_.string(), tokenizer_);
  EXPECT_EQ(to_json(report), to_json(loaded.report));
  EXPECT_EQ(to_json(mapped.report), to_json(loaded.report));
  EXPECT_EQ(report.empty_turns, 60);
  EXPECT_EQ(dataset_stats(mapped, {}), dataset_stats(loaded, {}));
  ASSERT_EQ(mapped.size(), loaded.size());
  for (std::int64_t i = 0; i < mapped.size(); ++i) {
    ASSERT_TRUE(std::ranges::equal(mapped.at(i).ids, loaded.at(i).ids));
    ASSERT_TRUE(std::ranges::equal(mapped.at(i).supervised, loaded.at(i).supervised));
  }
  EXPECT_FALSE(partial_left());
  EXPECT_TRUE(looks_processed(output_));
  EXPECT_FALSE(looks_processed(data_));
}

TEST_F(Process, GoesOnAfterAStop) {
  process();
  const std::string expected = read(output_);
  fs::remove(output_);
  // Each run is stopped after one batch of records more, until one comes to the end.
  int runs = 0;
  std::int64_t records = 0;
  for (bool ended = false; !ended; ++runs) {
    const CancelToken cancel = CancelToken::make();
    try {
      process(
          [&](const DataProgress& now) {
            EXPECT_GT(now.records, records);
            records = now.records;
            cancel.cancel();
          },
          cancel);
      ended = true;
    } catch (const Stopped&) {
      EXPECT_FALSE(fs::exists(output_));
      EXPECT_TRUE(partial_left());
    }
  }
  EXPECT_GT(runs, 2);
  EXPECT_TRUE(read(output_) == expected);
  EXPECT_FALSE(partial_left());
}

TEST_F(Process, GoesOnAfterAKill) {
  process();
  const std::string expected = read(output_);
  fs::remove(output_);
  const CancelToken cancel = CancelToken::make();
  EXPECT_THROW(process([&](const DataProgress&) { cancel.cancel(); }, cancel), Stopped);
  // What a killed process leaves behind the last commit, and half a state file beside the whole one.
  std::ofstream(output_.string() + ".partial/input_ids", std::ios::app) << "more than was committed";
  std::ofstream(output_.string() + ".partial/state.json.new") << "{\"sett";
  process();
  EXPECT_TRUE(read(output_) == expected);
}

TEST_F(Process, BeginsAnewWithOtherDataOrOptions) {
  const CancelToken cancel = CancelToken::make();
  EXPECT_THROW(process([&](const DataProgress&) { cancel.cancel(); }, cancel), Stopped);
  options_.max_seq_len = 40;
  const DataReport report = process();
  EXPECT_EQ(report.records, 6000);
  EXPECT_EQ(open_dataset(output_.string(), tokenizer_).size(), report.samples);
}

TEST_F(Process, LeavesNothingForFaultyData) {
  data_ = folder_.write("faulty.jsonl", row("a", "b") + "{\"messages\": 3}\n");
  EXPECT_THROW(process(), Error);
  EXPECT_FALSE(fs::exists(output_));
  EXPECT_FALSE(partial_left());
}

TEST_F(Process, IsDoneByOneProcessAtATime) {
  std::string message;
  process([&](const DataProgress&) {
    if (!message.empty()) return;
    try {
      process();
    } catch (const Error& error) {
      message = error.what();
    }
  });
  EXPECT_THAT(message, HasSubstr("another process"));
}

TEST_F(Process, RefusesAnotherTokenizer) {
  process();
  const test::ScratchFolder other;
  std::string json = read(test::data_folder() / "model" / "tokenizer.json");
  other.write("tokenizer.json", json + "\n");
  EXPECT_THAT([&] { open_dataset(output_.string(), Tokenizer::load(other.path())); },
              testing::ThrowsMessage<Error>(HasSubstr("another tokenizer")));
}

TEST_F(Process, FindsEveryChangedByte) {
  data_ = folder_.write("two.jsonl", row("a", "b") + row("c", "d"));
  process();
  const std::string good = read(output_);
  EXPECT_EQ(fault(good), "no error");
  const std::size_t header = 1 << 16;
  for (std::size_t i = header; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    ASSERT_THAT(fault(bad), HasSubstr("checksum")) << i;
  }
  EXPECT_NE(fault(good.substr(0, good.size() - 1)), "no error");
  EXPECT_NE(fault(good.substr(0, 100)), "no error");
  std::string other = good;
  other.replace(other.find("ilt.dataset"), 11, "ilt.weights");
  EXPECT_THAT(fault(other), HasSubstr("ilt data process"));
}

// A tensor file of whatever form: no data set, and no crash.
TEST_F(Process, RefusesMadeUpFiles) {
  data_ = folder_.write("two.jsonl", row("a", "b") + row("c", "d"));
  process();
  const std::string good = read(output_);
  for (const auto& [what, with] :
       std::vector<std::pair<std::string, std::string>>{{"\"I32\"", "\"F32\""},
                                                        {"\"BOOL\"", "\"U8\"  "},
                                                        {"\"version\":\"1\"", "\"version\":\"9\""},
                                                        {"\"vocab_size\":\"", "\"vocab_size\":\"x"},
                                                        {"checksum.sample_ends", "checksum.sample_endz"}}) {
    std::string bad = good;
    bad.replace(bad.find(what), with.size(), with);
    EXPECT_NE(fault(bad), "no error") << what;
  }
}

TEST_F(Process, TellsTheDateOfTheTemplate) {
  const std::string source = "{{ strftime_now('%d %b %Y') }}{% for m in messages %}[{{ m.content }}]{% endfor %}";
  ChatTemplate dated = ChatTemplate::load(test::data_folder() / "model", folder_.write("t.jinja", source));
  dated.set_time(1769817600);  // 31 January 2026, as today
  const CancelToken cancel = CancelToken::make();
  const std::vector paths{data_};
  EXPECT_THROW(process_dataset(
                   paths, tokenizer_, &dated, options_, output_, [&](const DataProgress&) { cancel.cancel(); }, cancel),
               Stopped);
  // A day later the work goes on with the date that it began with.
  dated.set_time(1769904000);
  const DataReport report = process_dataset(paths, tokenizer_, &dated, options_, output_, {}, {});
  EXPECT_EQ(report.template_date, "2026-01-31");
  const Dataset dataset = open_dataset(output_.string(), tokenizer_);
  EXPECT_THAT(tokenizer_.decode(dataset.at(dataset.size() - 1).ids, false), testing::StartsWith("31 Jan 2026"));
  EXPECT_THROW(dated.set_date("2026-02-30"), Error);
  EXPECT_THROW(dated.set_date("tomorrow"), Error);
}

}  // namespace
}  // namespace ilt
