// Terminal output: whole lines, and one that is redrawn.
#include "cli/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "cli/client.h"

namespace ilt_cli {
namespace {

constexpr std::array levels = {"trace", "debug", "info", "warn", "error", "off"};

std::string duration(double seconds) {
  const auto whole = static_cast<long long>(std::clamp(seconds, 0.0, 1e12));
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60, whole % 60);
  return text.data();
}

std::string bar(const ilt_metrics& metrics) {
  constexpr int width = 24;
  if (metrics.step_total <= 0) return "";
  const auto filled = static_cast<std::size_t>(width * metrics.step / metrics.step_total);
  return "[" + std::string(filled, '#') + std::string(width - std::min<std::size_t>(width, filled), '.') + "] ";
}

}  // namespace

std::string without_controls(const std::string& text) {
  std::string line;
  std::array<char, 8> code{};
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool after_c2 = !line.empty() && line.back() == '\xc2';
    if (c == '\n') {
      line += ' ';
    } else if (byte < 0x20 || byte == 0x7f || (after_c2 && byte < 0xa0)) {  // the last: U+0080 to U+009F
      if (byte >= 0x80) line.pop_back();
      std::snprintf(code.data(), code.size(), "\\x%02x", byte);
      line += code.data();
    } else {
      line += c;
    }
  }
  return line;
}

Terminal::Terminal() : is_terminal_(::isatty(STDERR_FILENO) == 1) {}

Terminal& Terminal::get() {
  static auto* const terminal = new Terminal;
  return *terminal;
}

void Terminal::line(const std::string& message) {
  const std::string text = without_controls(message);
  const std::lock_guard lock(mutex_);
  if (!progress_.empty()) std::fputs("\r\x1b[K", stderr);
  std::fputs((text + "\n" + progress_).c_str(), stderr);
  std::fflush(stderr);
}

void Terminal::progress(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (!is_terminal_) return;
  progress_ = text;
  std::fputs(("\r\x1b[K" + text).c_str(), stderr);
  std::fflush(stderr);
}

void show_log(const std::string& level) {
  const auto* const found = std::find(levels.begin(), levels.end(), level);
  const auto print = [](ilt_log_level at, const char* component, const char* message, void*) {
    Terminal::get().line(std::string(levels[static_cast<std::size_t>(at)]) + " " + component + ": " + message);
  };
  call(ilt_log_set, print, nullptr, nullptr, static_cast<ilt_log_level>(found - levels.begin()));
}

void show_step(const ilt_metrics& metrics, double seconds_left) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(),
                "step %lld/%lld  epoch %u  loss %.4f  gradnorm %.3f  lr %.3g  %.0f tok/s  left %s",
                static_cast<long long>(metrics.step), static_cast<long long>(metrics.step_total), metrics.epoch,
                metrics.loss, metrics.grad_norm, metrics.lr, metrics.tokens_per_second, duration(seconds_left).c_str());
  if (Terminal::get().is_terminal())
    Terminal::get().progress(bar(metrics) + text.data());
  else
    Terminal::get().line(text.data());
}

}  // namespace ilt_cli
