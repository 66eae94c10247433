// EndIfStuck: lets a signal end the process although its owner does not read it, because the owner waits for whoever
// reads its output: a pager, or a terminal stopped by Ctrl-S.
//
// A Watch blocks SIGINT and SIGTERM, and its owner reads them between two waits. A write to a full pipe may never
// return, and then only SIGKILL would help. For commands whose output nobody needs any more once they are interrupted:
// the process ends at once, by the signal, without any clean-up.
#pragma once
#include <chrono>
#include <thread>

#include "base/fd.h"
#include "capture/target/watch.h"

namespace peregrine {

class EndIfStuck {
 public:
  // A signal of the watch that is not read for `patience` ends the process. Without a thread, nothing does.
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
