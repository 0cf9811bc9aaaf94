// The two ways to a data set.
#include "data/load.h"

#include "base/error.h"
#include "base/log.h"
#include "data/inputs.h"
#include "data/pipeline.h"

namespace ilt {

Dataset load_dataset(std::span<const std::string> paths, const Tokenizer& tokenizer, const ChatTemplate* chat,
                     const DataOptions& options, const CancelToken& cancel) {
  const auto files = input_files(paths);
  const SampleMaker maker(tokenizer, chat, options);
  Dataset dataset;
  Tally tally(options.max_bad_records, options.min_seq_len);
  run_pipeline(
      {.files = files, .threads = options.threads}, maker, tally,
      [&](auto ids, auto labels) { dataset.add(ids, labels); }, [](const DataProgress&) {}, cancel);
  dataset.report = tally.report();
  if (chat != nullptr && chat->prints_date()) dataset.report.template_date = chat->date();
  dataset.origin = {tokenizer.fingerprint(), tokenizer.vocab_size(), to_json(options)};
  log_report(dataset.report);
  require_samples(dataset.report, files, options.max_seq_len);
  return dataset;
}

Dataset open_dataset(const std::string& path, const Tokenizer& tokenizer) {
  Dataset dataset = Dataset::open(path);
  const DatasetOrigin& origin = dataset.origin;
  if (origin.tokenizer != tokenizer.fingerprint()) {
    throw Error(Status::data,
                fmt::format("{} was made with another tokenizer (fingerprint {}, {} tokens) than the model's ({}, {} "
                            "tokens): process the data with this model",
                            path, origin.tokenizer, origin.vocab_size, tokenizer.fingerprint(), tokenizer.vocab_size()),
                {{"file", path}, {"got", origin.tokenizer}, {"expected", tokenizer.fingerprint()}});
  }
  log::info("data", "{}: processed, {} samples, {} tokens", path, dataset.size(), dataset.num_tokens());
  return dataset;
}

}  // namespace ilt
