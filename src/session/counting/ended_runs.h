// EndedRuns: counts the runs of a command that were ended by a signal (a timeout, Ctrl-C, a crash), so that they are
// reported once instead of once per run.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "capture/target/workload.h"

namespace peregrine {

class EndedRuns {
 public:
  void add(const WorkloadExit& exit);
  // "sleep: Terminated\n", one line per signal; for several runs "sleep: Terminated (2 of 3 runs)\n". Empty if no run
  // was ended by a signal.
  std::string text(std::string_view program) const;

 private:
  std::map<int, unsigned> by_signal_;
  unsigned runs_ = 0;
};

}  // namespace peregrine
