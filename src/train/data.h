// The data of a run, from its configuration: read or mapped, checked against the model, validation held out.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "base/cancel.h"
#include "config/config.h"
#include "data/corpus.h"
#include "data/options.h"
#include "data/process.h"
#include "data/records.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace ilt {

struct RunData {
  Corpus training;
  Corpus validation;          // empty: the run has none
  std::string template_date;  // that the chat template printed, where it prints one
};

// The chat template that the configuration means, with its date set; nothing where there is none (data that needs one
// says so).
std::optional<ChatTemplate> find_chat_template(const Config& config);

DataOptions data_options(const Config& config);

// `vocab` is the number of rows of the model's embedding. Throws what loading throws, and data where a sample has a
// token beyond it.
RunData load_run_data(const Config& config, std::int64_t vocab, const CancelToken& cancel = {});

// A data set that is there, as this run sees it: without samples that are too long. `tokenizer` is the fingerprint of
// the model's.
Corpus use_dataset(const Config& config, std::int64_t vocab, const std::string& tokenizer,
                   std::shared_ptr<const Dataset> dataset);
std::string tokenizer_fingerprint(const Config& config);

// The data of a run from such data sets; `validation` may be null.
RunData use_datasets(const Config& config, std::int64_t vocab, std::shared_ptr<const Dataset> training,
                     std::shared_ptr<const Dataset> validation);

// Data sets apart from a run, by the configuration's model_path and data options.
Dataset load_data(const Config& config, const CancelToken& cancel);
std::unique_ptr<RecordReader> make_record_reader(const Config& config);
DataReport process_run_data(const Config& config, const std::filesystem::path& output, const ProgressFn& progress,
                            const CancelToken& cancel);

}  // namespace ilt
