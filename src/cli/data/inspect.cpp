// ilt data inspect: samples with what is learnt of them, coloured in a terminal, as HTML, or as JSON Lines.
#include <unistd.h>

#include <cstdio>

#include "cli/data/data.h"
#include "cli/data/page.h"
#include "cli/data/pieces.h"
#include "cli/terminal.h"

namespace ilt_cli {
namespace {

using Json = nlohmann::ordered_json;

struct Sample {
  std::int64_t index = 0;
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> labels;
};

Sample read_sample(const ilt_dataset* dataset, std::int64_t index) {
  std::int32_t* ids = nullptr;
  std::int32_t* labels = nullptr;
  std::size_t count = 0;
  call(ilt_dataset_sample, dataset, index, &ids, &labels, &count);
  const Memory<std::int32_t> own_ids(ids);
  const Memory<std::int32_t> own_labels(labels);
  return {index, {ids, ids + count}, {labels, labels + count}};
}

// What is learnt stands on green; without colours between ⟦ and ⟧. The rest is dim.
void print_coloured(const std::vector<Piece>& pieces, bool colours) {
  const char* const learnt = colours ? "\x1b[0;30;42m" : "⟦";
  const char* const end = colours ? "\x1b[0m" : "⟧";
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;  // which would obey control characters
  bool open = false;
  for (const Piece& piece : pieces) {
    if (piece.learnt != open) {
      std::fputs(piece.learnt ? learnt : end, stdout);
      if (colours && !piece.learnt) std::fputs("\x1b[2m", stdout);
    }
    open = piece.learnt;
    // A line break inside the colour would colour the rest of the terminal's line.
    for (const char c : piece.text) {
      if (c == '\n' && open && colours)
        std::printf("%s\n%s", end, learnt);
      else if (terminal && c != '\n' && c != '\t')
        std::fputs(without_controls({c}).c_str(), stdout);
      else
        std::fputc(c, stdout);
    }
  }
  std::fputs(open || colours ? end : "", stdout);
  std::fputs("\n", stdout);
}

class Inspect {
 public:
  explicit Inspect(CLI::App& app) : flags_(app, data_options()) {
    app.add_option("--first", first_, "Index of the first sample, from 0")->check(CLI::NonNegativeNumber);
    count_given_ =
        app.add_option("--count", count_, "Samples to show (10; with --json all)")->check(CLI::PositiveNumber);
    auto* const json = app.add_flag("--json", json_, "Print a JSON object a sample: index, input_ids, labels, text");
    app.add_option("--html", html_, "Write a page to this file instead")->type_name("FILE")->excludes(json);
    app.add_flag("--no-color", no_color_, "Mark what is learnt with brackets, also in a terminal");
  }

  int run() {
    const auto config = flags_.build();
    show_log("warn");
    const auto dataset = open_data(config.get());
    const auto size = ilt_dataset_num_samples(dataset.get());
    if (first_ >= size)
      throw Failure(ILT_ERR_INVALID_ARGUMENT,
                    "--first is " + std::to_string(first_) + ", but there are " + std::to_string(size) + " samples");
    const bool all = json_ && count_given_->count() == 0;
    const auto end = all ? size : std::min(size, first_ + count_);
    const auto model = config_value(config.get(), "model_path");
    if (model.empty() && !json_) throw Usage("give --model-path, whose tokenizer tells the tokens' text");
    const auto tokenizer = model.empty() ? Tokenizer() : make<Tokenizer>(ilt_tokenizer_load, model.c_str());
    if (json_)
      print_json(dataset.get(), tokenizer.get(), end);
    else if (!html_.empty())
      write_page(dataset.get(), tokenizer.get(), end);
    else
      print_text(dataset.get(), tokenizer.get(), end);
    return 0;
  }

 private:
  void print_json(const ilt_dataset* dataset, const ilt_tokenizer* tokenizer, std::int64_t end) const {
    for (auto i = first_; i < end; ++i) {
      const auto sample = read_sample(dataset, i);
      Json line = {{"index", i}, {"input_ids", sample.ids}, {"labels", sample.labels}};
      if (tokenizer != nullptr)
        line["text"] = text_of(ilt_tokenizer_decode, tokenizer, sample.ids.data(), sample.ids.size(), 0);
      std::printf("%s\n", line.dump().c_str());
    }
    if (std::fflush(stdout) != 0) throw std::runtime_error("cannot write to stdout");
  }

  void print_text(const ilt_dataset* dataset, const ilt_tokenizer* tokenizer, std::int64_t end) const {
    const bool colours = !no_color_ && ::isatty(STDOUT_FILENO) == 1;
    for (auto i = first_; i < end; ++i) {
      const auto sample = read_sample(dataset, i);
      const auto learnt = std::count_if(sample.labels.begin(), sample.labels.end(), [](auto l) { return l >= 0; });
      std::printf("--- sample %lld: %zu tokens, %lld learnt\n", static_cast<long long>(i), sample.ids.size(),
                  static_cast<long long>(learnt));
      print_coloured(split_into_pieces(tokenizer, sample.ids, sample.labels), colours);
    }
  }

  void write_page(const ilt_dataset* dataset, const ilt_tokenizer* tokenizer, std::int64_t end) const {
    Page page(html_);
    for (auto i = first_; i < end; ++i) {
      const auto sample = read_sample(dataset, i);
      page.add(i, split_into_pieces(tokenizer, sample.ids, sample.labels));
    }
    page.close();
  }

  ConfigFlags flags_;
  std::int64_t first_ = 0;
  std::int64_t count_ = 10;
  CLI::Option* count_given_ = nullptr;
  bool json_ = false;
  bool no_color_ = false;
  std::string html_;
};

}  // namespace

Command add_data_inspect(CLI::App& data) {
  auto* const sub = data.add_subcommand("inspect", "Show samples and which of their tokens are learnt");
  return [inspect = std::make_shared<Inspect>(*sub)] { return inspect->run(); };
}

}  // namespace ilt_cli
