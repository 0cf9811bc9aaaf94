// Data sets for a run: each path by what it is.
#include "train/data.h"

#include <filesystem>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "config/options.h"
#include "data/load.h"
#include "data/processed_file.h"
#include "weights/model_source.h"

namespace ilt {
namespace {

Overlong overlong_policy(const std::string& name) {
  if (name == "truncate") return Overlong::truncate;
  return name == "error" ? Overlong::error : Overlong::drop;
}

TrainOn train_on(const std::string& name) {
  if (name == "last_turn") return TrainOn::last_turn;
  return name == "all" ? TrainOn::all : TrainOn::assistant;
}

// A token beyond the embedding table would read foreign memory.
void require_known_ids(const Dataset& data, const Tokenizer* tokenizer, std::int64_t vocab) {
  for (std::int64_t i = 0; i < data.size(); ++i) {
    for (const std::int32_t id : data.at(i).ids) {
      if (id >= 0 && id < vocab) continue;
      std::string token;
      if (tokenizer != nullptr && id >= 0 && id < tokenizer->vocab_size())
        token = tokenizer->decode(std::span(&id, 1), /*skip_special=*/false);
      throw Error(Status::data,
                  fmt::format("sample {} holds the token '{}' (id {}), but the model's vocabulary has {} rows: use the "
                              "tokenizer that belongs to the model, or let the vocabulary grow (resize_vocab)",
                              i + 1, token, id, vocab),
                  {{"sample", i + 1}, {"id", id}, {"vocab", vocab}});
    }
  }
}

// A processed file may hold longer samples than this run takes; other policies need the records.
void drop_longer(const Config& config, Corpus& corpus) {
  if (config.block_size > 0) return;
  const std::int64_t dropped = corpus.drop_longer(config.max_seq_len);
  if (dropped == 0) return;
  if (config.overlong != "drop") {
    throw Error(Status::config,
                fmt::format("option 'overlong': {} processed samples are longer than max_seq_len ({}); they can only "
                            "be dropped: process the data with this max_seq_len",
                            dropped, config.max_seq_len),
                {{"key", "overlong"}, {"got", config.overlong}, {"expected", "drop"}});
  }
  log::warn("train", "dropped {} processed samples longer than max_seq_len ({})", dropped, config.max_seq_len);
  if (corpus.size() == 0)
    fail(Status::data, "no sample is left: all are longer than max_seq_len ({})", config.max_seq_len);
}

class Loader {
 public:
  Loader(const Config& config, std::int64_t vocab, const CancelToken& cancel)
      : config_(config),
        vocab_(vocab),
        cancel_(cancel),
        tokenizer_(Tokenizer::load(*open_model_files(config.model_path))),
        chat_(find_chat_template(config)),
        options_(data_options(config)) {
    options_.vocab = vocab;
    if (tokenizer_.vocab_size() > vocab)
      log::warn("train",
                "the tokenizer has {} tokens, the model {} rows: samples with a token beyond are refused "
                "(resize_vocab makes it grow)",
                tokenizer_.vocab_size(), vocab);
  }

  Corpus load(const std::vector<std::string>& paths, const std::vector<double>& weights) const {
    Corpus corpus;
    for (std::size_t i = 0; i < paths.size(); ++i)
      corpus.add(std::make_shared<Dataset>(load_one(paths[i])), weights.empty() ? 1.0 : weights[i]);
    drop_longer(config_, corpus);
    return corpus;
  }

  // What the chat template prints, where it prints a date.
  std::string template_date() const { return chat_ && chat_->prints_date() ? chat_->date() : ""; }

 private:
  Dataset load_one(const std::string& path) const {
    const bool processed = looks_processed(path);
    Dataset data = processed ? open_dataset(path, tokenizer_)
                             : load_dataset({&path, 1}, tokenizer_, chat_ ? &*chat_ : nullptr, options_, cancel_);
    if (processed) warn_of_options(path, data.origin.settings);
    require_known_ids(data, &tokenizer_, vocab_);
    if (config_.block_size > 0) {
      require_documents(path, data.report);
      data.cut_into_blocks(config_.block_size);
      log::info("train", "{}: {} blocks of up to {} tokens", path, data.size(), config_.block_size);
    }
    return data;
  }

  // What a processed file was made with holds; an option that says otherwise would do nothing.
  void warn_of_options(const std::string& path, const Json& settings) const {
    const Json made = settings.value("options", Json::object());
    const Json asked = to_json(options_);
    for (const char* key : {"train_on", "min_seq_len"}) {
      if (made.contains(key) && made[key] != asked[key])
        log::warn("train", "{} was processed with {} {}, which holds; the run's {} does nothing", path, key,
                  to_line(made[key]), to_line(asked[key]));
    }
  }

  void require_documents(const std::string& path, const DataReport& report) const {
    for (const auto& [file, format] : report.formats) {
      if (format == name(Format::document)) continue;
      throw Error(Status::config,
                  fmt::format("option 'block_size': {} holds {} records; blocks are made of documents", path, format),
                  {{"key", "block_size"}, {"file", file}});
    }
  }

  const Config& config_;
  std::int64_t vocab_;
  const CancelToken& cancel_;
  Tokenizer tokenizer_;
  std::optional<ChatTemplate> chat_;
  DataOptions options_;
};

}  // namespace

std::optional<ChatTemplate> find_chat_template(const Config& config) {
  try {
    ChatTemplate chat = ChatTemplate::load(*open_model_files(config.model_path), config.chat_template_path);
    if (!config.chat_template_date.empty()) chat.set_date(config.chat_template_date);
    return chat;
  } catch (const Error& e) {
    if (e.status() != Status::not_found || !config.chat_template_path.empty()) throw;
    // Records that need one fail; why there is none is told here.
    if (e.detail().contains("templates")) log::warn("train", "{}", e.what());
    return std::nullopt;
  }
}

DataOptions data_options(const Config& config) {
  return {.max_seq_len = config.max_seq_len,
          .min_seq_len = config.min_seq_len,
          .overlong = overlong_policy(config.overlong),
          .whole_documents = config.block_size > 0,
          .train_on = train_on(config.train_on),
          .max_bad_records = config.max_bad_records,
          .threads = static_cast<int>(config.num_threads)};
}

RunData load_run_data(const Config& config, std::int64_t vocab, const CancelToken& cancel) {
  const Loader loader(config, vocab, cancel);
  RunData data{loader.load(config.data_path, config.data_weights), {}, loader.template_date()};
  if (!config.validation_data_path.empty()) data.validation = loader.load(config.validation_data_path, {});
  if (config.validation_split > 0) {
    if (data.training.size() < 2) fail(Status::data, "validation_split needs two samples; there is one");
    data.validation = data.training.hold_out(config.validation_split, config.seed);
    if (data.training.size() == 0)
      fail(Status::data, "validation_split {} leaves nothing to train on", config.validation_split);
    log::info("train", "{} samples are held out for validation, {} are trained on", data.validation.size(),
              data.training.size());
  }
  return data;
}

Corpus use_dataset(const Config& config, std::int64_t vocab, const std::string& tokenizer,
                   std::shared_ptr<const Dataset> dataset) {
  if (!dataset->origin.tokenizer.empty() && dataset->origin.tokenizer != tokenizer)
    fail(Status::data, "the data set was made with another tokenizer (fingerprint {}) than the model's ({})",
         dataset->origin.tokenizer, tokenizer);
  require_known_ids(*dataset, nullptr, vocab);
  Corpus corpus;
  corpus.add(std::move(dataset));
  if (config.max_seq_len > 0) drop_longer(config, corpus);
  return corpus;
}

std::string tokenizer_fingerprint(const Config& config) {
  return Tokenizer::load(*open_model_files(config.model_path)).fingerprint();
}

RunData use_datasets(const Config& config, std::int64_t vocab, std::shared_ptr<const Dataset> training,
                     std::shared_ptr<const Dataset> validation) {
  if (training->size() == 0) fail(Status::data, "the data set has no samples");
  const auto refuse = [](const char* key) {
    throw Error(Status::config,
                fmt::format("option '{}' is for data that the session reads; with data sets of the host it "
                            "would do nothing",
                            key),
                {{"key", key}});
  };
  if (config.block_size > 0) refuse("block_size");
  if (config.validation_split > 0) refuse("validation_split");
  if (!config.validation_data_path.empty()) refuse("validation_data_path");
  const std::string tokenizer = tokenizer_fingerprint(config);
  RunData data{use_dataset(config, vocab, tokenizer, std::move(training)), {}, {}};
  if (validation) data.validation = use_dataset(config, vocab, tokenizer, std::move(validation));
  return data;
}

Dataset load_data(const Config& config, const CancelToken& cancel) {
  validate_data_config(config);
  const Tokenizer tokenizer = Tokenizer::load(*open_model_files(config.model_path));
  if (config.data_path.size() == 1 && looks_processed(config.data_path.front()))
    return open_dataset(config.data_path.front(), tokenizer);
  const auto chat = find_chat_template(config);
  return load_dataset(config.data_path, tokenizer, chat ? &*chat : nullptr, data_options(config), cancel);
}

std::unique_ptr<RecordReader> make_record_reader(const Config& config) {
  validate_data_config(config);
  return std::make_unique<RecordReader>(Tokenizer::load(*open_model_files(config.model_path)),
                                        find_chat_template(config), data_options(config));
}

DataReport process_run_data(const Config& config, const std::filesystem::path& output, const ProgressFn& progress,
                            const CancelToken& cancel) {
  validate_data_config(config);
  if (config.data_path.empty())
    throw Error(Status::config, "option 'data_path' is required: give the records to process", {{"key", "data_path"}});
  const Tokenizer tokenizer = Tokenizer::load(*open_model_files(config.model_path));
  auto chat = find_chat_template(config);
  return process_dataset(config.data_path, tokenizer, chat ? &*chat : nullptr, data_options(config), output, progress,
                         cancel);
}

}  // namespace ilt
