// EndIfStuck: lets a signal end the process although its owner does not read it, because the owner is blocked writing
// its output: to a pager, or to a terminal stopped by Ctrl-S.
//
// A Watch blocks SIGINT and SIGTERM, and its owner reads them between two waits. A write to a full pipe may never
// return, and then only SIGKILL would help. For commands with output that nobody needs once they are interrupted:
// the process ends at once, by the signal, without any clean-up.
#pragma once
#include <chrono>
#include <thread>

#include "base/fd.h"
#include "capture/target/watch.h"

namespace peregrine {

class EndIfStuck {
 public:
  // If a signal of the watch is not read within `patience`, it ends the process. Without a free thread, this does
  // nothing.
  explicit EndIfStuck(const Watch& watch, std::chrono::milliseconds patience = std::chrono::milliseconds(2000));
  ~EndIfStuck();
  EndIfStuck(const EndIfStuck&) = delete;
  EndIfStuck& operator=(const EndIfStuck&) = delete;

 private:
  void look(int signals, std::chrono::milliseconds patience) const;

  Fd stop_;
  std::thread thread_;
};

}  // namespace peregrine
