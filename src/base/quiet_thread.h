// A thread of the library's own in a host's process: it takes none of the host's signals, and no time that others want.
#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <future>
#include <system_error>
#include <utility>

#include "base/error.h"

namespace ilt {

// Runs `work` on a thread on which all signals are blocked. Throws io where no thread can be started.
template <typename Work>
std::future<void> run_quietly(Work&& work) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);  // a new thread takes the mask of the one that starts it
  try {
    auto started = std::async(std::launch::async, std::forward<Work>(work));
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return started;
  } catch (const std::system_error& error) {
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    fail(Status::io, "cannot start a thread to write with: {}", error.what());
  }
}

// Lets this thread, and those that it starts from now on, run only where nothing else wants the processor. For good.
inline void yield_to_others() noexcept {
#ifdef __linux__  // elsewhere the number of a thread is no argument of setpriority
  (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), 19);
#endif
}

}  // namespace ilt
