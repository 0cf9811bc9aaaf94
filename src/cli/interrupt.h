// Signals of a run: Ctrl-C and SIGTERM ask to stop through a cancel token, a second one ends the process as usual;
// SIGUSR1 asks for a save.
#pragma once

#include "cli/client.h"

namespace ilt_cli {

class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  ilt_cancel_token* token() const { return token_.get(); }
  // 128 + the signal that came, as shells have it; `otherwise` if none did.
  int exit_code(int otherwise) const;

 private:
  CancelToken token_;
};

// Takes SIGUSR1 from its beginning on: one that comes while a session is still being made is kept for it.
class SaveSignal {
 public:
  SaveSignal();
  ~SaveSignal();
  SaveSignal(const SaveSignal&) = delete;
  SaveSignal& operator=(const SaveSignal&) = delete;

  // Until this goes, signals go to the session.
  class Attached {
   public:
    explicit Attached(ilt_session* session);
    ~Attached();
    Attached(const Attached&) = delete;
    Attached& operator=(const Attached&) = delete;
  };
};

}  // namespace ilt_cli
