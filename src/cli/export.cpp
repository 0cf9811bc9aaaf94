// ilt export: a model in another format.
#include <cstdio>

#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/terminal.h"

namespace ilt_cli {
namespace {

class Export {
 public:
  explicit Export(CLI::App& app) {
    app.add_option("MODEL", model_, "a Hugging Face folder or a GGUF file")->required();
    app.add_option("OUT", out_, "the file (gguf) or folder (hf) to write")->required();
    app.add_option("--to", format_, "gguf: a file for llama.cpp; hf: a folder that transformers loads")
        ->check(CLI::IsMember({"gguf", "hf"}))
        ->required();
    app.add_option("--dtype", dtype_, "type of the weights; by default the model's, bfloat16 of quantised ones")
        ->check(CLI::IsMember({"float32", "bfloat16", "float16", "q8_0"}));
  }

  int run() const {
    show_log("warn");
    nlohmann::ordered_json options = {{"format", format_}};
    if (!dtype_.empty()) options["dtype"] = dtype_;
    call(ilt_model_export, model_.c_str(), out_.c_str(), to_json(options, "--to").c_str());
    std::printf("saved %s\n", out_.c_str());
    return 0;
  }

 private:
  std::string model_, out_, format_, dtype_;
};

}  // namespace

Command add_export(CLI::App& app) {
  auto* const sub =
      app.add_subcommand("export", "Write a model as a GGUF file, or a GGUF file as a Hugging Face folder");
  return [exported = std::make_shared<Export>(*sub)] { return exported->run(); };
}

}  // namespace ilt_cli
