// Batches of lines through a few threads.
#include "data/pipeline.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "data/jsonl.h"

namespace ilt {
namespace {

constexpr std::size_t batch_bytes = 1 << 21;

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
  try {
    for (std::size_t i = 1; i < failures.size(); ++i) others.emplace_back(run, i);
  } catch (const std::system_error&) {  // no more threads: those that run do the work
  }
  run(0);
  for (std::thread& thread : others) thread.join();
  for (const auto& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

// One file: the format is that of its first record that has one.
class FileRecords {
 public:
  // `format`: what an earlier process found it to be, else "".
  FileRecords(const std::filesystem::path& path, const SampleMaker& maker, std::int64_t from_line,
              const std::string& format)
      : file_(path.string()), reader_(path), maker_(maker), format_(format_named(format)) {
    reader_.skip_to(from_line);
  }

  bool next_batch() { return reader_.next(batch_, batch_bytes); }
  std::size_t size() const { return batch_.lines.size(); }
  std::int64_t last_line() const { return batch_.lines.back().number; }
  std::uint64_t position() const { return reader_.position(); }

  // The name of the format, the first time that it is known.
  const char* find_format() {
    if (format_) return nullptr;
    for (const Line& line : batch_.lines) {
      const Place place = place_of(line);
      try {
        format_ = detect_format(parse_record(line, place), place);
      } catch (const Error&) {  // counted where the record is made
        continue;
      }
      return name(*format_);
    }
    return nullptr;
  }

  Made make(std::size_t i) const {
    const Line& line = batch_.lines[i];
    const Place place = place_of(line);
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

 private:
  Place place_of(const Line& line) const { return {file_, line.number, reader_.unit()}; }

  std::string file_;
  JsonlReader reader_;
  const SampleMaker& maker_;
  LineBatch batch_;
  std::optional<Format> format_;
};

std::uint64_t total_bytes(std::span<const std::filesystem::path> files) {
  std::uint64_t total = 0;
  for (const auto& file : files) total += std::filesystem::file_size(file);
  return total;
}

}  // namespace

void run_pipeline(const PipelineInput& input, const SampleMaker& maker, Tally& tally, const SampleSink& sink,
                  const std::function<void(const DataProgress&)>& between, const CancelToken& cancel) {
  const std::size_t threads =
      input.threads > 0 ? static_cast<std::size_t>(input.threads) : std::thread::hardware_concurrency();
  const std::uint64_t total = total_bytes(input.files);
  std::uint64_t before = total_bytes(input.files.first(input.from.file));
  for (std::size_t number = input.from.file; number < input.files.size(); ++number) {
    const auto& path = input.files[number];
    FileRecords file(path, maker, number == input.from.file ? input.from.line : 0, tally.format_of(path.string()));
    while (cancel.check(), file.next_batch()) {
      if (const char* const format = file.find_format()) tally.add_format(path.string(), format);
      std::vector<Made> made(file.size());
      parallel_for(file.size(), threads, [&](std::size_t i) {
        cancel.check();
        made[i] = file.make(i);
      });
      for (const Made& one : made) {
        tally.add_unused(one.unused);
        if (one.bad) {
          tally.add_bad(*one.bad);
        } else if (tally.add(*one.sample)) {
          sink(one.sample->ids, one.sample->labels);
        }
      }
      between({{number, file.last_line()}, tally.report().records, before + file.position(), total});
    }
    before += std::filesystem::file_size(path);
  }
}

}  // namespace ilt
