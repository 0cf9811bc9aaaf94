// ilt score: log-probabilities of token ids, JSON Lines in and out.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/terminal.h"

namespace ilt_cli {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::int32_t> parse_ids(const std::string& line, long long number) {
  const auto value = Json::parse(line, nullptr, false);
  const auto is_id = [](const Json& id) { return id.is_number_integer() && id >= 0 && id <= INT32_MAX; };
  if (!value.is_array() || value.size() < 2 || !std::all_of(value.begin(), value.end(), is_id))
    throw std::runtime_error("input line " + std::to_string(number) +
                             ": expected a list of at least two token ids, as [1, 2, 3]");
  return value.get<std::vector<std::int32_t>>();
}

// A line {"logprobs": [...]}, each number with the digits that tell a float.
void write_logprobs(std::ostream& out, const std::vector<float>& logprobs) {
  std::array<char, 32> text{};
  out << "{\"logprobs\":[";
  for (std::size_t i = 0; i < logprobs.size(); ++i) {
    std::snprintf(text.data(), text.size(), "%.9g", static_cast<double>(logprobs[i]));
    out << (i > 0 ? "," : "") << text.data();
  }
  out << "]}\n";
}

class Score {
 public:
  explicit Score(CLI::App& app) : flags_(app, {"model_path", "device", "num_threads"}) {
    app.add_option("--input", input_, "JSON Lines file, a list of token ids a line; default: stdin")->type_name("FILE");
    app.add_option("--output", output_, "File for the results, one line each; default: stdout")->type_name("FILE");
  }

  int run() {
    const auto config = flags_.build();
    call(ilt_config_validate, config.get());
    std::ifstream file(input_);
    if (!input_.empty() && !file) throw std::runtime_error("cannot read '" + input_ + "'");
    show_log("warn");
    const auto session = make<Session>(ilt_session_create, config.get());
    auto& in = input_.empty() ? std::cin : file;
    if (output_.empty()) {
      score_lines(session.get(), in, std::cout);
      return 0;
    }
    const std::string part = output_ + ".part";
    try {
      std::ofstream out(part);
      score_lines(session.get(), in, out);
      out.close();
      std::filesystem::rename(part, output_);
    } catch (...) {
      std::error_code ignored;
      std::filesystem::remove(part, ignored);
      throw;
    }
    return 0;
  }

 private:
  void score_lines(ilt_session* session, std::istream& in, std::ostream& out) const {
    long long number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      const auto ids = parse_ids(line, number);
      std::vector<float> logprobs(ids.size() - 1);
      try {
        call(ilt_score, session, ids.data(), ids.size(), logprobs.data());
      } catch (const Failure& failure) {
        throw Failure(failure.status, "input line " + std::to_string(number) + ": " + failure.what());
      }
      write_logprobs(out, logprobs);
      if (!out.flush())
        throw std::runtime_error("cannot write the results to " + (output_.empty() ? "stdout" : output_));
    }
  }

  ConfigFlags flags_;
  std::string input_;
  std::string output_;
};

}  // namespace

Command add_score(CLI::App& app) {
  auto* const sub = app.add_subcommand("score", "Print the log-probability of each token after the first");
  return [score = std::make_shared<Score>(*sub)] { return score->run(); };
}

}  // namespace ilt_cli
