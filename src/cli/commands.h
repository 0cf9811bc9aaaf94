// The subcommands: each adds itself to the command line and runs when it was given; the result is the exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace ilt_cli {

using Command = std::function<int()>;

Command add_train(CLI::App& app);
Command add_score(CLI::App& app);
Command add_generate(CLI::App& app);
Command add_devices(CLI::App& app);
Command add_checkpoint(CLI::App& app);
Command add_data(CLI::App& app);
Command add_config(CLI::App& app);
Command add_models(CLI::App& app);
Command add_export(CLI::App& app);

}  // namespace ilt_cli
