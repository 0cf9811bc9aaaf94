// ilt data process: records to the file that training maps.
#include <array>
#include <chrono>
#include <cstdio>

#include "cli/data/data.h"
#include "cli/interrupt.h"
#include "cli/terminal.h"

namespace ilt_cli {
namespace {

class Process {
 public:
  explicit Process(CLI::App& app) : flags_(app, data_options()) {
    app.add_option("--output", output_, "File to write; it appears when it is complete")->type_name("FILE")->required();
    app.add_option("--log-level", log_level_, "Lowest level of the log on stderr")
        ->check(CLI::IsMember({"trace", "debug", "info", "warn", "error", "off"}))
        ->capture_default_str();
  }

  int run() {
    const auto config = flags_.build();
    for (const char* option : {"model_path", "data_path"})
      if (const auto value = config_value(config.get(), option); value.empty() || value == "[]")
        throw Usage("give " + flag_of(option));
    show_log(log_level_);
    const Interrupt interrupt;
    start_ = Clock::now();
    const auto status = call(ilt_dataset_process, config.get(), output_.c_str(), on_progress, this, interrupt.token());
    Terminal::get().progress("");
    if (status == ILT_STOPPED) {
      Terminal::get().line("ilt: stopped; the same command goes on from " + output_ + ".partial");
      return interrupt.exit_code(1);
    }
    Terminal::get().line("wrote " + output_);
    return 0;
  }

 private:
  using Clock = std::chrono::steady_clock;

  static std::int32_t on_progress(std::int64_t records, std::int64_t done, std::int64_t total, void* self) {
    const std::chrono::duration<double> elapsed = Clock::now() - static_cast<Process*>(self)->start_;
    std::array<char, 128> text{};
    std::snprintf(text.data(), text.size(), "%lld records, %.0f of %.0f MB, %.1f MB/s", static_cast<long long>(records),
                  static_cast<double>(done) / 1e6, static_cast<double>(total) / 1e6,
                  static_cast<double>(done) / 1e6 / elapsed.count());
    Terminal::get().progress(text.data());
    return 0;
  }

  ConfigFlags flags_;
  std::string output_;
  std::string log_level_ = "info";
  Clock::time_point start_;
};

}  // namespace

Command add_data_process(CLI::App& data) {
  auto* const sub = data.add_subcommand("process", "Render, tokenise and mask records once, into one file");
  return [process = std::make_shared<Process>(*sub)] { return process->run(); };
}

}  // namespace ilt_cli
