// ilt checkpoint: the full states of a run.
#include <cstdio>

#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/terminal.h"

namespace ilt_cli {
namespace {

using Json = nlohmann::ordered_json;

void list(const std::string& folder) {
  for (const auto& state : Json::parse(text_of(ilt_checkpoint_list_json, folder.c_str()))) {
    if (state.contains("fault"))
      std::printf("step %-8lld broken: %s\n", state["step"].get<long long>(),
                  state["fault"].get<std::string>().c_str());
    else
      std::printf("step %-8lld %10.1f MB  %s\n", state["step"].get<long long>(), state["bytes"].get<double>() / 1e6,
                  state["path"].get<std::string>().c_str());
  }
}

void verify(const std::string& folder) {
  call(ilt_checkpoint_verify, folder.c_str());
  std::printf("%s is whole\n", folder.c_str());
}

void info(const std::string& folder) {
  std::printf("%s\n", Json::parse(text_of(ilt_checkpoint_info_json, folder.c_str())).dump(2).c_str());
}

void print_pairs(const Json& pairs, const char* what) {
  for (const auto& [name, pair] : pairs.items())
    std::printf("%s %s: %s -> %s\n", what, name.c_str(), pair[0].dump().c_str(), pair[1].dump().c_str());
}

void print_tensor(const Json& tensor) {
  const auto name = tensor["file"].get<std::string>() + " " + without_controls(tensor["name"].get<std::string>());
  if (tensor.contains("only_in"))
    std::printf("%s: only in %s\n", name.c_str(), tensor["only_in"].get<std::string>().c_str());
  else if (tensor["max_abs"].is_null())
    std::printf("%s: differs\n", name.c_str());
  else if (tensor["relative"].is_null())
    std::printf("%s: by at most %.3g, from zero\n", name.c_str(), tensor["max_abs"].get<double>());
  else
    std::printf("%s: by at most %.3g (relative %.3g)\n", name.c_str(), tensor["max_abs"].get<double>(),
                tensor["relative"].get<double>());
}

// 0: alike; 1: different, as diff(1) has it.
int diff(const std::string& a, const std::string& b, bool json) {
  const auto found = Json::parse(text_of(ilt_checkpoint_diff_json, a.c_str(), b.c_str()));
  const bool equal = found["equal"].get<bool>();
  if (json) {
    std::printf("%s\n", found.dump(2).c_str());
    return equal ? 0 : 1;
  }
  print_pairs(found["run"], "run");
  print_pairs(found["options"], "option");
  for (const auto& tensor : found["tensors"]) print_tensor(tensor);
  std::printf("%lld tensors are alike, %zu are not\n", found["same_tensors"].get<long long>(), found["tensors"].size());
  return equal ? 0 : 1;
}

class Checkpoint {
 public:
  explicit Checkpoint(CLI::App& app) : app_(app) {
    app.require_subcommand(1);
    with_path("list", "List the full states under an output folder", "the run's --ckpt-output-dir");
    with_path("verify", "Hold every file of a full state against its checksum", "the folder of a full state");
    with_path("info", "Print what a full state says of its run, as JSON", "the folder of a full state");
    auto* const exported =
        with_path("export", "Write the weights of a full state as a Hugging Face folder", "the folder of a full state");
    exported->add_option("OUT", second_, "the folder to write")->required();
    exported->add_option("--model-path", model_path_,
                         "the model that was trained, for its configuration and tokenizer; by default where the run "
                         "found it");
    exported->add_option("--save-dtype", save_dtype_, "type of the weights; by default that of the model's files")
        ->check(CLI::IsMember({"float32", "bfloat16", "float16"}));
    auto* const compared =
        with_path("diff", "Tell how two full states differ; exit code 1 where they do", "the folder of a full state");
    compared->add_option("OTHER", second_, "the folder of another one")->required();
    compared->add_flag("--json", json_, "as JSON");
  }

  int run() const {
    if (app_.got_subcommand("diff")) return diff(first_, second_, json_);
    if (app_.got_subcommand("list")) list(first_);
    if (app_.got_subcommand("verify")) verify(first_);
    if (app_.got_subcommand("info")) info(first_);
    if (app_.got_subcommand("export")) export_state();
    return 0;
  }

 private:
  CLI::App* with_path(const char* name, const char* doc, const char* what) {
    auto* const sub = app_.add_subcommand(name, doc);
    sub->add_option("PATH", first_, what)->required();
    return sub;
  }

  void export_state() const {
    Json options = Json::object();
    if (!model_path_.empty()) options["model_path"] = model_path_;
    if (!save_dtype_.empty()) options["save_dtype"] = save_dtype_;
    call(ilt_checkpoint_export, first_.c_str(), second_.c_str(), to_json(options, "--model-path").c_str());
    std::printf("saved %s\n", second_.c_str());
  }

  CLI::App& app_;
  std::string first_, second_, model_path_, save_dtype_;
  bool json_ = false;
};

}  // namespace

Command add_checkpoint(CLI::App& app) {
  auto* const sub =
      app.add_subcommand("checkpoint", "List, verify, describe, export and compare the full states of runs");
  return [checkpoint = std::make_shared<Checkpoint>(*sub)] { return checkpoint->run(); };
}

}  // namespace ilt_cli
