// Signal handlers around a cancel token and a session.
#include "cli/interrupt.h"

#include <atomic>
#include <csignal>

namespace ilt_cli {
namespace {

std::atomic<ilt_cancel_token*> current{nullptr};
std::atomic<ilt_session*> saving{nullptr};
std::atomic<bool> save_wanted{false};
std::atomic<int> received{0};

void on_signal(int signal) {
  received = signal;
  ilt_cancel_token_cancel(current);
}

void on_save_signal(int) {
  if (ilt_session* const session = saving; session != nullptr)
    ilt_session_request_save(session);
  else
    save_wanted = true;
}

void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = flags;
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

Interrupt::Interrupt() : token_(make<CancelToken>(ilt_cancel_token_create)) {
  constexpr auto once = static_cast<int>(SA_RESETHAND);  // the second one kills
  current = token_.get();
  handle(SIGINT, on_signal, once);
  handle(SIGTERM, on_signal, once);
}

Interrupt::~Interrupt() {
  handle(SIGINT, SIG_DFL, 0);
  handle(SIGTERM, SIG_DFL, 0);
  current = nullptr;
}

int Interrupt::exit_code(int otherwise) const {
  return received != 0 ? 128 + received : otherwise;
}

SaveSignal::SaveSignal() {
  handle(SIGUSR1, on_save_signal, SA_RESTART);
}

SaveSignal::~SaveSignal() {
  handle(SIGUSR1, SIG_IGN, 0);  // one that comes late is no reason to die
}

SaveSignal::Attached::Attached(ilt_session* session) {
  saving = session;
  if (save_wanted.exchange(false)) ilt_session_request_save(session);
}

SaveSignal::Attached::~Attached() {
  saving = nullptr;
}

}  // namespace ilt_cli
