// The ilt command. Exit codes: 0 done, 1 failed, 2 wrong usage, 128 + signal when stopped by one.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "cli/client.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/terminal.h"

namespace ilt_cli {
namespace {

int fail(int code, std::string message) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  Terminal::get().progress("");
  Terminal::get().line("ilt: error: " + message);
  return code;
}

// --max_seq_len is --max-seq-len: both spellings are in use.
std::vector<std::string> normalised(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  for (auto& argument : arguments)
    if (argument.rfind("--", 0) == 0) {
      const auto end = argument.begin() + static_cast<std::ptrdiff_t>(std::min(argument.find('='), argument.size()));
      std::replace(argument.begin(), end, '_', '-');
    }
  return arguments;
}

int wrong_usage(const CLI::App& app, const CLI::ParseError& error) {
  std::string help = "ilt --help";
  for (const auto* const sub : app.get_subcommands()) help = "ilt " + sub->get_name() + " --help";
  std::string message = error.what();
  // What nobody takes explains more than what is missing then.
  if (error.get_name() == "ExtrasError" || error.get_name() == "RequiredError")
    if (const auto extra = app.remaining(true); !extra.empty()) message = unknown_flag(extra.front());
  return fail(2, message + " (see " + help + ")");
}

int run(int argc, char** argv) {
  CLI::App app("Fine-tunes Hugging Face decoder models.", "ilt");
  app.set_version_flag("--version", std::string("ilt ") + ilt_version_string());
  app.require_subcommand(1);
  const std::pair<const char*, Command> commands[] = {{"train", add_train(app)},
                                                      {"score", add_score(app)},
                                                      {"generate", add_generate(app)},
                                                      {"devices", add_devices(app)},
                                                      {"config", add_config(app)}};
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

}  // namespace
}  // namespace ilt_cli

int main(int argc, char** argv) {
  using namespace ilt_cli;
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
