// The pipeline into a processed file, with a commit every few seconds.
#include "data/process.h"

#include <optional>

#include "base/clock.h"
#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "data/inputs.h"
#include "data/processed_writer.h"

namespace ilt {
namespace {

constexpr double seconds_between_commits = 5;

// What the result depends on; another value of any of these begins the work anew.
Json describe_work(std::span<const std::filesystem::path> files, const Tokenizer& tokenizer, const ChatTemplate* chat,
                   const DataOptions& options) {
  Json inputs = Json::array();
  for (const auto& file : files) {
    std::error_code code;
    const auto modified = fs::last_write_time(file, code).time_since_epoch().count();
    if (code) fail_errno("examine", file, code.value());
    inputs.push_back({{"path", full_path(file).string()}, {"bytes", InputFile(file).size()}, {"modified", modified}});
  }
  return {{"files", inputs},
          {"options", to_json(options)},
          {"tokenizer", tokenizer.fingerprint()},
          {"chat_template", chat != nullptr ? chat->fingerprint() : ""},
          {"chat_template_date", chat != nullptr ? chat->given_date() : ""}};
}

Json progress_of(const DataPosition& position, const DataReport& report) {
  return {{"file", position.file}, {"line", position.line}, {"report", to_json(report)}};
}

class Work {
 public:
  Work(std::span<const std::filesystem::path> files, const Tokenizer& tokenizer, ChatTemplate* chat,
       const DataOptions& options, const std::filesystem::path& output)
      : files_(files),
        tokenizer_(tokenizer),
        chat_(chat),
        options_(options),
        tally_(options.max_bad_records, options.min_seq_len),
        writer_(output, describe_work(files, tokenizer, chat, options)) {
    if (writer_.resumed()) go_on_from(*writer_.resumed());
    if (chat_ != nullptr && chat_->prints_date()) date_ = chat_->date();
  }

  DataReport run(const ProgressFn& progress, const CancelToken& cancel) {
    try {
      make_samples(progress, cancel);
      const DataReport report = dated_report();
      log_report(report);
      require_samples(report, files_, options_.max_seq_len);
      writer_.publish(report, {tokenizer_.fingerprint(), tokenizer_.vocab_size(), {}});
      return report;
    } catch (const Error& error) {
      if (error.status() == Status::data) writer_.discard();
      throw;
    }
  }

 private:
  void make_samples(const ProgressFn& progress, const CancelToken& cancel) {
    const SampleMaker maker(tokenizer_, chat_, options_);
    Stopwatch since_commit;
    DataPosition position = from_;
    try {
      run_pipeline(
          {.files = files_, .from = from_, .threads = options_.threads}, maker, tally_,
          [&](auto ids, auto labels) { writer_.add(ids, labels); },
          [&](const DataProgress& now) {
            position = now.position;
            if (since_commit.seconds() > seconds_between_commits) {
              writer_.commit(progress_of(position, dated_report()));
              since_commit.lap();
            }
            if (progress) progress(now);
          },
          cancel);
    } catch (const Stopped&) {
      if (tally_.report().records > 0) {
        writer_.commit(progress_of(position, dated_report()));
      } else {
        writer_.discard();
      }
      throw;
    }
  }

  void go_on_from(const Json& progress) {
    from_ = {progress.at("file").get<std::size_t>(), progress.at("line").get<std::int64_t>()};
    const DataReport report = report_from_json(progress.at("report"));
    tally_.resume(report);
    if (chat_ != nullptr && !report.template_date.empty()) chat_->set_date(report.template_date);
    log::info("data", "going on after {} records of an earlier run", report.records);
  }

  DataReport dated_report() const {
    DataReport report = tally_.report();
    report.template_date = date_;
    return report;
  }

  std::span<const std::filesystem::path> files_;
  const Tokenizer& tokenizer_;
  ChatTemplate* chat_;
  const DataOptions& options_;
  Tally tally_;
  ProcessedWriter writer_;
  DataPosition from_;
  std::string date_;
};

}  // namespace

DataReport process_dataset(std::span<const std::string> paths, const Tokenizer& tokenizer, ChatTemplate* chat,
                           const DataOptions& options, const std::filesystem::path& output, const ProgressFn& progress,
                           const CancelToken& cancel) {
  const auto files = input_files(paths);
  return Work(files, tokenizer, chat, options, output).run(progress, cancel);
}

}  // namespace ilt
