// ilt score: log-probabilities of token ids, JSON Lines in and out.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <system_error>

#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/terminal.h"

namespace ilt_cli {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::int32_t> parse_ids(const std::string& line, long long number) {
  // The parser takes a zero byte for the end.
  const bool whole = line.find('\0') == std::string::npos;
  const auto value = whole ? Json::parse(line, nullptr, false) : Json(Json::value_t::discarded);
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

// The results until they are complete: a file of its own name beside the final one, which no end of the process but
// SIGKILL leaves behind.
class PartFile {
 public:
  explicit PartFile(const std::string& final_path) : final_(followed(final_path)) {
    int fd = -1;
    for (int number = 0; fd < 0; ++number) {
      path = final_ + ".part-" + std::to_string(::getpid()) + "-" + std::to_string(number);
      fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (fd < 0 && errno != EEXIST) fail();
    }
    ::close(fd);
    for (const int signal : signals)
      if (std::signal(signal, on_signal) == SIG_IGN) std::signal(signal, SIG_IGN);
    out_.open(path);
  }
  ~PartFile() { remove(); }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  std::ostream& stream() { return out_; }
  void publish() {
    out_.close();
    if (!out_ || ::rename(path.c_str(), final_.c_str()) != 0) fail();
    path.clear();
  }

 private:
  static constexpr std::array signals = {SIGHUP, SIGINT, SIGTERM};
  static inline std::string path;  // for the signal handler

  // Through a link, as writing to it would go.
  static std::string followed(std::filesystem::path path) {
    std::error_code code;
    for (int links = 0; links < 40 && std::filesystem::is_symlink(path, code); ++links)
      path = path.parent_path() / std::filesystem::read_symlink(path, code);
    return path.string();
  }
  static void remove() {
    if (!path.empty()) ::unlink(path.c_str());
  }
  static void on_signal(int signal) {
    remove();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  [[noreturn]] void fail() const {
    throw std::runtime_error("cannot write '" + final_ + "': " + std::generic_category().message(errno));
  }

  std::string final_;
  std::ofstream out_;
};

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
    if (!input_.empty() && !file)
      throw std::runtime_error("cannot read '" + input_ + "': " + std::generic_category().message(errno));
    show_log("warn");
    const auto session = make<Session>(ilt_session_create, config.get());
    auto& in = input_.empty() ? std::cin : file;
    if (output_.empty()) {
      score_lines(session.get(), in, std::cout);
      return 0;
    }
    // Renaming would put a file in the place of a device or a pipe.
    if (std::error_code code;
        std::filesystem::exists(output_, code) && !std::filesystem::is_regular_file(output_, code)) {
      std::ofstream out(output_);
      if (!out) throw std::runtime_error("cannot write '" + output_ + "': " + std::generic_category().message(errno));
      score_lines(session.get(), in, out);
      return 0;
    }
    PartFile part(output_);
    score_lines(session.get(), in, part.stream());
    part.publish();
    return 0;
  }

 private:
  void score_lines(ilt_session* session, std::istream& in, std::ostream& out) const {
    long long number = 0;
    errno = 0;
    for (std::string line; std::getline(in, line); errno = 0) {
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
        throw std::runtime_error("cannot write the results to " + (output_.empty() ? "stdout" : output_) + ": " +
                                 std::generic_category().message(errno));
    }
    // The end of what cannot be read is no end: a folder, a closed stdin.
    if (in.bad() || (input_.empty() && std::ferror(stdin) != 0))
      throw std::runtime_error("cannot read " + (input_.empty() ? "stdin" : "'" + input_ + "'") + ": " +
                               std::generic_category().message(errno != 0 ? errno : EIO));
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
