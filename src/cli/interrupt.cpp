// Signal handlers around a cancel token.
#include "cli/interrupt.h"

#include <atomic>
#include <csignal>

namespace ilt_cli {
namespace {

std::atomic<ilt_cancel_token*> current{nullptr};
std::atomic<int> received{0};

void on_signal(int signal) {
  received = signal;
  ilt_cancel_token_cancel(current);
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second one kills
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

Interrupt::Interrupt() : token_(make<CancelToken>(ilt_cancel_token_create)) {
  current = token_.get();
  handle(SIGINT, on_signal);
  handle(SIGTERM, on_signal);
}

Interrupt::~Interrupt() {
  handle(SIGINT, SIG_DFL);
  handle(SIGTERM, SIG_DFL);
  current = nullptr;
}

int Interrupt::exit_code(int otherwise) const {
  return received != 0 ? 128 + received : otherwise;
}

}  // namespace ilt_cli
