// ilt checkpoint: the full states of a run.
#include <cstdio>

#include "cli/commands.h"
#include "cli/flags.h"

namespace ilt_cli {
namespace {

using Json = nlohmann::ordered_json;

int list(const std::string& folder) {
  for (const auto& state : Json::parse(text_of(ilt_checkpoint_list_json, folder.c_str()))) {
    if (state.contains("fault"))
      std::printf("step %-8lld broken: %s\n", state["step"].get<long long>(),
                  state["fault"].get<std::string>().c_str());
    else
      std::printf("step %-8lld %10.1f MB  %s\n", state["step"].get<long long>(), state["bytes"].get<double>() / 1e6,
                  state["path"].get<std::string>().c_str());
  }
  return 0;
}

int verify(const std::string& folder) {
  call(ilt_checkpoint_verify, folder.c_str());
  std::printf("%s is whole\n", folder.c_str());
  return 0;
}

int info(const std::string& folder) {
  std::printf("%s\n", Json::parse(text_of(ilt_checkpoint_info_json, folder.c_str())).dump(2).c_str());
  return 0;
}

}  // namespace

Command add_checkpoint(CLI::App& app) {
  auto* const checkpoint = app.add_subcommand("checkpoint", "List, verify and describe the full states of a run");
  checkpoint->require_subcommand(1);
  auto path = std::make_shared<std::string>();
  const auto add = [&](const char* name, const char* doc, const char* what) {
    checkpoint->add_subcommand(name, doc)->add_option("PATH", *path, what)->required();
  };
  add("list", "List the full states under an output folder", "the run's --ckpt-output-dir");
  add("verify", "Hold every file of a full state against its checksum", "the folder of a full state");
  add("info", "Print what a full state says of its run, as JSON", "the folder of a full state");
  return [checkpoint, path] {
    if (checkpoint->got_subcommand("list")) return list(*path);
    return checkpoint->got_subcommand("verify") ? verify(*path) : info(*path);
  };
}

}  // namespace ilt_cli
