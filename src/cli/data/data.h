// The subcommands of ilt data.
#pragma once

#include "cli/commands.h"
#include "cli/flags.h"

namespace ilt_cli {

Command add_data_process(CLI::App& data);
Command add_data_inspect(CLI::App& data);
Command add_data_stats(CLI::App& data);

// The options that say which records are read, and how they become samples.
const std::vector<std::string>& data_options();

// The data set that the configuration's data_path names: a processed file needs no model, records do. Shows progress.
Dataset open_data(const ilt_config* config);

}  // namespace ilt_cli
