// Signals of a run: Ctrl-C and SIGTERM ask to stop through a cancel token, a second one ends the process as usual;
// SIGUSR1 asks for a save.
#pragma once

#include "cli/client.h"

namespace ilt_cli {

class Interrupt {
 public:
  // With a session, which must outlive this, SIGUSR1 makes its run save.
  explicit Interrupt(ilt_session* session = nullptr);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  ilt_cancel_token* token() const { return token_.get(); }
  // 128 + the signal that came, as shells have it; `otherwise` if none did.
  int exit_code(int otherwise) const;

 private:
  CancelToken token_;
};

}  // namespace ilt_cli
