// What the command says while it works: lines on stderr, and a progress line where stderr is a terminal.
#pragma once

#include <ilt.h>

#include <mutex>
#include <string>

namespace ilt_cli {

class Terminal {
 public:
  // The one of the process; libilt's log may come from any thread.
  static Terminal& get();

  bool is_terminal() const { return is_terminal_; }
  void line(const std::string& message);
  // Replaces the progress line; "" removes it. Only for terminals.
  void progress(const std::string& text);

 private:
  Terminal();

  std::mutex mutex_;
  std::string progress_;
  bool is_terminal_;
};

// Text on one line that a terminal obeys nothing of: control characters as \x1b.
std::string without_controls(const std::string& text);

// Sends libilt's log to the terminal. `level`: trace, debug, info, warn, error or off.
void show_log(const std::string& level);

// The line or bar of a step.
void show_step(const ilt_metrics& metrics, double seconds_left);

}  // namespace ilt_cli
