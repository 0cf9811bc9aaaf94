// The ilt command. Exit codes: 0 done, 1 failed, 2 wrong usage, 128 + signal when stopped by one.
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include "cli/client.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/terminal.h"

namespace ilt_cli {
namespace {

int fail(int code, const std::string& message) {
  Terminal::get().progress("");
  Terminal::get().line("ilt: error: " + message);
  return code;
}

// --max_seq_len is --max-seq-len: both spellings are in use. "--x=" is given as two arguments, for CLI11 would take the
// next one for its value.
std::vector<std::string> normalised(int argc, char** argv) {
  std::vector<std::string> arguments;
  for (std::string argument : std::vector<std::string>(argv + 1, argv + argc)) {
    const auto equals = argument.find('=');
    if (argument.rfind("--", 0) == 0)
      std::replace(argument.begin(), argument.begin() + static_cast<std::ptrdiff_t>(std::min(equals, argument.size())),
                   '_', '-');
    const bool is_empty = argument.rfind("--", 0) == 0 && equals == argument.size() - 1;
    if (is_empty) argument.pop_back();
    arguments.push_back(std::move(argument));
    if (is_empty) arguments.emplace_back();
  }
  return arguments;
}

int wrong_usage(const CLI::App& app, const CLI::ParseError& error) {
  std::string help = "ilt --help";
  const CLI::App* sub = &app;
  while (!sub->get_subcommands().empty()) {
    sub = sub->get_subcommands().front();
    help.insert(help.rfind(' '), " " + sub->get_name());
  }
  std::string message = error.what();
  // What nobody takes explains more than what is missing then; a flag more than its value.
  const auto code = static_cast<CLI::ExitCodes>(error.get_exit_code());
  const auto extra = app.remaining(true);
  if (!extra.empty() && (code == CLI::ExitCodes::ExtrasError || code == CLI::ExitCodes::RequiredError)) {
    const auto flag =
        std::find_if(extra.begin(), extra.end(), [](const auto& text) { return text.rfind("--", 0) == 0; });
    message = unknown_flag(flag != extra.end() ? *flag : extra.front(), *sub);
  }
  return fail(2, message + " (see " + help + ")");
}

int run(int argc, char** argv) {
  CLI::App app("Fine-tunes Hugging Face decoder models.", "ilt");
  app.set_version_flag("--version", std::string("ilt ") + ilt_version_string());
  app.require_subcommand(1);
  const std::pair<const char*, Command> commands[] = {
      {"train", add_train(app)},   {"score", add_score(app)},           {"generate", add_generate(app)},
      {"data", add_data(app)},     {"checkpoint", add_checkpoint(app)}, {"devices", add_devices(app)},
      {"config", add_config(app)}, {"models", add_models(app)},         {"export", add_export(app)}};
  try {
    auto arguments = normalised(argc, argv);
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code() == 0 ? app.exit(error) : wrong_usage(app, error);
  }
  for (const auto& [name, command] : commands)
    if (app.got_subcommand(name)) return command();
  return 2;
}

// A file that is opened later must not take the place of a closed stdin, stdout or stderr: log lines would go into it.
// What is closed stays of no use: its users see their errors. Only what goes to stderr vanishes.
void occupy_closed_streams() {
  constexpr int modes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
  for (int fd = 0; fd < 3; ++fd)
    if (::fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", modes[fd]) < 0) std::_Exit(1);
}

int run_and_report(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const Usage& error) {
    return fail(2, error.what());
  } catch (const Failure& error) {
    return fail(error.status == ILT_ERR_CONFIG ? 2 : 1, error.what());
  } catch (const std::exception& error) {
    return fail(1, error.what());
  }
}

// What was printed has arrived, or the command has failed.
int check_output(int code) {
  std::cout.flush();
  const bool flushed = std::fflush(stdout) == 0;
  const std::string reason = flushed ? "" : ": " + std::generic_category().message(errno);
  if (code != 0 || (flushed && std::ferror(stdout) == 0 && std::cout)) return code;
  return fail(1, "cannot write to stdout" + reason);
}

}  // namespace
}  // namespace ilt_cli

int main(int argc, char** argv) {
  ilt_cli::occupy_closed_streams();
  return ilt_cli::check_output(ilt_cli::run_and_report(argc, argv));
}
