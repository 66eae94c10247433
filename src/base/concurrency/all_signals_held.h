// AllSignalsHeld: blocks all signals for the calling thread in its scope, and restores the mask in the destructor.
//
// A thread inherits the mask of the thread that starts it. Threads that are started in the scope never handle a
// signal, so the thread that waits for signals gets them.
#pragma once
#include <csignal>

namespace peregrine {

class AllSignalsHeld {
 public:
  AllSignalsHeld() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  AllSignalsHeld(const AllSignalsHeld&) = delete;
  AllSignalsHeld& operator=(const AllSignalsHeld&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace peregrine
