// ilt data: making and looking at what is trained on.
#include "cli/data/data.h"

#include "cli/terminal.h"

namespace ilt_cli {

const std::vector<std::string>& data_options() {
  static const std::vector<std::string> options = {
      "model_path", "data_path", "chat_template_path", "chat_template_date", "max_seq_len", "min_seq_len",
      "overlong",   "train_on",  "block_size",         "max_bad_records",    "num_threads"};
  return options;
}

Dataset open_data(const ilt_config* config) {
  const auto paths = nlohmann::ordered_json::parse(config_value(config, "data_path"));
  if (paths.empty()) throw Usage("give --data-path, a file of records or one that ilt data process has made");
  if (config_value(config, "model_path").empty()) {
    if (paths.size() != 1) throw Usage("give --model-path, whose tokenizer the records are for");
    try {
      return make<Dataset>(ilt_dataset_open, paths[0].get<std::string>().c_str());
    } catch (const Failure& failure) {
      if (failure.status != ILT_ERR_FORMAT) throw;
      throw Failure(failure.status, std::string(failure.what()) + " (for records give --model-path)");
    }
  }
  return make<Dataset>(ilt_dataset_create, config, nullptr);
}

Command add_data(CLI::App& app) {
  auto* const data = app.add_subcommand("data", "Process, inspect and count training data");
  data->require_subcommand(1);
  const std::vector<std::pair<std::string, Command>> commands = {
      {"process", add_data_process(*data)}, {"inspect", add_data_inspect(*data)}, {"stats", add_data_stats(*data)}};
  return [data, commands] {
    for (const auto& [name, command] : commands)
      if (data->got_subcommand(name)) return command();
    return 2;
  };
}

}  // namespace ilt_cli
