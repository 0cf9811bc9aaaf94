// ilt models: the model families that can be trained, as JSON or as the reference page.
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/client.h"
#include "cli/commands.h"

namespace ilt_cli {
namespace {

void print_markdown() {
  std::printf(
      "# Models\n\n"
      "<!-- Made by `ilt models --markdown`; a test keeps it so. -->\n\n"
      "The families that libilt trains, by the `architectures` of their config.json. Each is held to transformers by "
      "tiny\n"
      "checkpoints in `tests/data/`: logits, loss, every gradient and the losses of five optimizer steps. *Full "
      "training*:\n"
      "all weights. *Packed*: samples in one micro-batch give what each gives alone. *Export*: the trained model has "
      "the\n"
      "input's tensors, under the same names and in the same layout, and transformers loads it. *Generation*: with a "
      "cache,\n"
      "as the whole pass. *LoRA* and *sharded* are not in this version. Everything else is refused, with its name. How "
      "to "
      "add\n"
      "one: [adding-a-model.md](adding-a-model.md).\n\n"
      "| architecture | models | full training | LoRA | packed | sharded | export | generation |\n"
      "|---|---|---|---|---|---|---|---|\n");
  for (const auto& family : nlohmann::ordered_json::parse(ilt_model_families_json()))
    std::printf("| `%s` | %s | yes | no | yes | no | yes | yes |\n", family["architecture"].get<std::string>().c_str(),
                family["models"].get<std::string>().c_str());
}

}  // namespace

Command add_models(CLI::App& app) {
  auto* const sub = app.add_subcommand("models", "Print the model families that can be trained as JSON");
  auto markdown = std::make_shared<bool>(false);
  sub->add_flag("--markdown", *markdown, "Print them as the reference page instead");
  return [markdown] {
    if (*markdown)
      print_markdown();
    else
      std::printf("%s\n", ilt_model_families_json());
    return 0;
  };
}

}  // namespace ilt_cli
