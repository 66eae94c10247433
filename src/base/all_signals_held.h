// AllSignalsHeld: blocks all signals for the calling thread while it lives, and puts the mask back however it ends.
//
// A thread starts with the mask of the one that starts it: one that is started meanwhile never handles a signal, so
// that signals are left to the thread that waits for them.
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
