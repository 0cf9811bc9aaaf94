// Files to a data set: lines are read in order, made into samples by several threads, and added in order.
#include "data/load.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/log.h"
#include "data/inputs.h"
#include "data/jsonl.h"
#include "data/sample.h"
#include "data/tally.h"

namespace ilt {
namespace {

constexpr std::size_t lines_a_batch = 512;

struct Made {
  std::optional<Sample> sample;
  std::optional<Error> bad;  // of a record
  std::set<std::string> unused;
};

// Runs work(0) ... work(count - 1) on up to `threads` threads; the first exception of any is thrown at the end.
template <typename Work>
void parallel_for(std::size_t count, std::size_t threads, const Work& work) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::exception_ptr> failures(std::max<std::size_t>(1, std::min(threads, count)));
  const auto run = [&](std::size_t thread) {
    try {
      for (std::size_t i; (i = next.fetch_add(1)) < count;) work(i);
    } catch (...) {
      failures[thread] = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < failures.size(); ++i) others.emplace_back(run, i);
  run(0);
  for (std::thread& thread : others) thread.join();
  for (const auto& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

class FileLoader {
 public:
  FileLoader(const fs::path& path, const SampleMaker& maker, std::size_t threads, const CancelToken& cancel)
      : file_(path.string()), reader_(path), maker_(maker), threads_(threads), cancel_(cancel) {}

  void load(Dataset& dataset, Tally& tally) {
    while (read_batch()) {
      std::vector<Made> made(batch_.size());
      if (!format_) find_format();
      parallel_for(batch_.size(), threads_, [&](std::size_t i) {
        cancel_.check();
        made[i] = make(batch_[i]);
      });
      for (Made& one : made) {
        tally.add_unused(one.unused);
        one.bad ? tally.add_bad(*one.bad) : tally.add(std::move(*one.sample), dataset);
      }
    }
  }

 private:
  bool read_batch() {
    batch_.clear();
    for (Line line; batch_.size() < lines_a_batch && reader_.next(line);) batch_.push_back(line);
    return !batch_.empty();
  }

  // The first record that has the keys of a format decides it for the file.
  void find_format() {
    for (const Line& line : batch_) {
      const Place place{file_, line.number};
      try {
        format_ = detect_format(parse_record(line, place), place);
      } catch (const Error&) {  // counted where the record is made
        continue;
      }
      log::info("data", "{}: {} records", file_, name(*format_));
      return;
    }
  }

  Made make(const Line& line) const {
    const Place place{file_, line.number};
    Made made;
    try {
      const Json record = parse_record(line, place);
      if (!format_) detect_format(record, place);  // throws: none of the records so far has a format
      require_format(*format_, record, place);
      made.unused = unused_keys(*format_, record);
      made.sample = maker_.make(*format_, record, place);
    } catch (const Error& error) {
      if (error.status() != Status::data) throw;
      made.bad = error;
    }
    return made;
  }

  std::string file_;
  JsonlReader reader_;
  const SampleMaker& maker_;
  std::size_t threads_;
  const CancelToken& cancel_;
  std::vector<Line> batch_;
  std::optional<Format> format_;
};

}  // namespace

Dataset load_dataset(std::span<const std::string> paths, const Tokenizer& tokenizer, const ChatTemplate* chat,
                     const LoadOptions& options, const CancelToken& cancel) {
  const auto files = input_files(paths);
  const std::size_t threads =
      options.threads > 0 ? static_cast<std::size_t>(options.threads) : std::thread::hardware_concurrency();
  if (chat != nullptr && chat->prints_date()) {
    log::warn("data", "the chat template prints the date: data processed on another day differ");
  }
  const SampleMaker maker(tokenizer, chat, options);
  Dataset dataset;
  Tally tally(options.max_bad_records);
  for (const fs::path& file : files) {
    cancel.check();
    FileLoader(file, maker, threads, cancel).load(dataset, tally);
  }
  const std::string source = files.size() == 1 ? files.front().string() : fmt::format("{} files", files.size());
  tally.finish(dataset, source);
  return dataset;
}

}  // namespace ilt
