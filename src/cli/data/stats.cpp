// ilt data stats: counts, lengths and packing, as text or JSON.
#include <cmath>
#include <cstdio>

#include "cli/data/data.h"
#include "cli/terminal.h"

namespace ilt_cli {
namespace {

using Json = nlohmann::ordered_json;

void print_line(const char* label, const std::string& text) {
  std::printf("%-22s %s\n", label, text.c_str());
}

std::string percent(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f %%", 100 * share);
  return text.data();
}

void print_histogram(const Json& histogram, double samples) {
  for (const auto& bin : histogram) {
    const double share = bin["samples"].get<double>() / samples;
    std::printf("  up to %7lld tokens %8lld  %s\n", bin["up_to"].get<long long>(), bin["samples"].get<long long>(),
                std::string(static_cast<std::size_t>(std::lround(50 * share)), '#').c_str());
  }
}

void print_stats(const Json& stats) {
  for (const auto& [file, format] : stats["formats"].items())
    print_line("format", format.get<std::string>() + " (" + file + ")");
  print_line("records", stats["records"].dump());
  print_line("samples", stats["samples"].dump());
  for (const auto& [reason, count] : stats["dropped"].items()) print_line(("dropped, " + reason).c_str(), count.dump());
  if (stats["truncated"] != 0) print_line("truncated", stats["truncated"].dump());
  print_line("tokens", stats["tokens"].dump());
  print_line("learnt",
             stats["supervised_tokens"].dump() + " (" + percent(stats["supervised_share"].get<double>()) + ")");
  for (const auto& [text, count] : stats["terminators"].items())
    print_line("turns end with", Json(text).dump() + " in " + count.dump() + " samples");
  if (stats["unterminated_turns"] != 0) print_line("turns without an end", stats["unterminated_turns"].dump());
  if (stats["empty_turns"] != 0) print_line("empty turns", stats["empty_turns"].dump());
  if (const auto date = stats["template_date"].get<std::string>(); !date.empty())
    print_line("date in the template", date);
  const auto& lengths = stats["lengths"];
  if (lengths.contains("min")) {
    std::string text;
    for (const char* key : {"min", "p50", "p90", "p99", "max"})
      text += std::string(key) + " " + lengths[key].dump() + "  ";
    print_line("tokens a sample", text);
    print_histogram(lengths["histogram"], stats["samples"].get<double>());
  }
  if (stats.contains("packing")) {
    const auto& packing = stats["packing"];
    print_line("micro-batches", packing["micro_batches"].dump() + " of " + packing["max_batch_len"].dump() +
                                    " tokens in " + packing["steps"].dump() + " steps, filled to " +
                                    percent(packing["fill"].get<double>()));
  }
  for (const auto& message : stats["bad_records"]) print_line("bad record", message.get<std::string>());
}

class Stats {
 public:
  explicit Stats(CLI::App& app) : flags_(app, data_options()) {
    app.add_option("--max-batch-len", max_batch_len_, "Also pack into micro-batches of this many tokens");
    app.add_option("--effective-batch-size", samples_a_step_, "Samples in one optimizer step, for packing")
        ->capture_default_str();
    app.add_option("--ranks", ranks_, "Processes that share a step, for packing")->capture_default_str();
    app.add_flag("--json", json_, "Print one JSON object");
  }

  int run() {
    const auto config = flags_.build();
    show_log("warn");
    const auto dataset = open_data(config.get());
    Json options = {{"effective_batch_size", samples_a_step_}, {"ranks", ranks_}};
    if (max_batch_len_ > 0) options["max_batch_len"] = max_batch_len_;
    const auto text = text_of(ilt_dataset_stats_json, dataset.get(), options.dump().c_str());
    if (json_)
      std::printf("%s\n", Json::parse(text).dump().c_str());
    else
      print_stats(Json::parse(text));
    return 0;
  }

 private:
  ConfigFlags flags_;
  long long max_batch_len_ = 0;
  long long samples_a_step_ = 128;
  long long ranks_ = 1;
  bool json_ = false;
};

}  // namespace

Command add_data_stats(CLI::App& data) {
  auto* const sub = data.add_subcommand("stats", "Print counts, lengths, what is learnt, and how well samples pack");
  return [stats = std::make_shared<Stats>(*sub)] { return stats->run(); };
}

}  // namespace ilt_cli
