// PairedRuns: two commands, run in turn and counted, for stat --vs.
//
//   A B │ A B │ B A │ A B │ B A …      the first pair only warms up caches, pages and branch predictors;
//  warm-up                             every other pair begins with B, so that neither command always follows the other
//
// A command that fails is still compared, with one warning; being ended at the user's request is not a failure.
// One thread.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/stat/stat_table.h"
#include "analysis/stat/stat_versus.h"
#include "base/result.h"
#include "capture/target/workload.h"
#include "session/session_listener.h"

namespace peregrine {

// A counted run of one command.
struct CommandRun {
  StatTable counts;
  std::optional<WorkloadExit> workload;
  int ended_by = 0;        // the signal that ended the session; 0: none
  bool cut_short = false;  // ended by --timeout
};

class PairedRuns {
 public:
  using Words = std::vector<std::string>;
  using RunCommand = std::function<Result<CommandRun>(const Words& words)>;
  PairedRuns(Words a, Words b, RunCommand run, SessionListener& listener)
      : a_(std::move(a)), b_(std::move(b)), run_(std::move(run)), listener_(listener) {}

  // Runs this many pairs, or fewer if a signal ends them. Errors: those of a run.
  Result<StatVersus> compare(unsigned pairs);

 private:
  // Runs each once; `swapped`: B first. False: interrupted. `versus`: null for the warm-up.
  Result<bool> pair(bool swapped, StatVersus* versus);
  Result<CommandRun> run_one(const Words& words);

  Words a_, b_;
  RunCommand run_;
  SessionListener& listener_;
  bool warned_ = false;
};

}  // namespace peregrine
