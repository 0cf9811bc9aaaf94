// ilt train: a whole run.
#include <chrono>

#include "cli/commands.h"
#include "cli/flags.h"
#include "cli/interrupt.h"
#include "cli/terminal.h"

namespace ilt_cli {
namespace {

class Train {
 public:
  explicit Train(CLI::App& app) : flags_(app) {
    app.add_option("--log-level", log_level_, "Lowest level of the log on stderr")
        ->check(CLI::IsMember({"trace", "debug", "info", "warn", "error", "off"}))
        ->capture_default_str();
  }

  int run() {
    const auto config = flags_.build();
    require_training_options(config.get());
    require_output(config.get());
    call(ilt_config_validate, config.get());
    show_log(log_level_);
    const SaveSignal save_signal;
    const auto session = make<Session>(ilt_session_create, config.get());
    const Interrupt interrupt;
    const SaveSignal::Attached attached(session.get());
    start_ = Clock::now();
    call(ilt_session_set_event_callback, session.get(), on_event, this, nullptr);
    const auto status = call(ilt_train_run, session.get(), interrupt.token(), nullptr);
    Terminal::get().progress("");
    if (status != ILT_STOPPED) return 0;
    ilt_metrics metrics = ILT_METRICS_INIT;
    call(ilt_metrics_get, session.get(), &metrics);
    Terminal::get().line("ilt: stopped after step " + std::to_string(metrics.step));
    return interrupt.exit_code(0);
  }

 private:
  using Clock = std::chrono::steady_clock;

  static void require_output(const ilt_config* config) {
    if (config_value(config, "ckpt_output_dir").empty())
      throw Usage("give --ckpt-output-dir, the folder for the trained model; without it nothing would be kept");
  }

  static std::int32_t on_event(const ilt_event* event, void* self) { return static_cast<Train*>(self)->show(*event); }
  std::int32_t show(const ilt_event& event) const {
    const auto& metrics = *event.metrics;
    if (event.type == ILT_EVENT_STEP_END) {
      const std::chrono::duration<double> elapsed = Clock::now() - start_;
      const auto left = static_cast<double>(metrics.step_total - metrics.step);
      show_step(metrics, elapsed.count() / static_cast<double>(metrics.step) * left);
    }
    if (event.type == ILT_EVENT_CHECKPOINT) Terminal::get().line(std::string("saved ") + event.path);
    return 0;
  }

  ConfigFlags flags_;
  std::string log_level_ = "info";
  Clock::time_point start_;
};

}  // namespace

Command add_train(CLI::App& app) {
  auto* const sub = app.add_subcommand("train", "Fine-tune a model on a file of training records");
  return [train = std::make_shared<Train>(*sub)] { return train->run(); };
}

}  // namespace ilt_cli
