// Ctrl-C and SIGTERM: the first asks to stop through a cancel token, the second ends the process as usual.
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

}  // namespace ilt_cli
