// Signal handlers around a cancel token and a session.
#include "cli/interrupt.h"

#include <atomic>
#include <csignal>

namespace ilt_cli {
namespace {

std::atomic<ilt_cancel_token*> current{nullptr};
std::atomic<ilt_session*> saving{nullptr};
std::atomic<int> received{0};

void on_signal(int signal) {
  received = signal;
  ilt_cancel_token_cancel(current);
}

void on_save_signal(int) {
  ilt_session_request_save(saving);
}

void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = flags;
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

Interrupt::Interrupt(ilt_session* session) : token_(make<CancelToken>(ilt_cancel_token_create)) {
  constexpr auto once = static_cast<int>(SA_RESETHAND);  // the second one kills
  current = token_.get();
  handle(SIGINT, on_signal, once);
  handle(SIGTERM, on_signal, once);
  if (session == nullptr) return;
  saving = session;
  handle(SIGUSR1, on_save_signal, SA_RESTART);
}

Interrupt::~Interrupt() {
  handle(SIGINT, SIG_DFL, 0);
  handle(SIGTERM, SIG_DFL, 0);
  if (saving != nullptr) handle(SIGUSR1, SIG_IGN, 0);  // one that comes late is no reason to die
  current = nullptr;
  saving = nullptr;
}

int Interrupt::exit_code(int otherwise) const {
  return received != 0 ? 128 + received : otherwise;
}

}  // namespace ilt_cli
