// BranchCounters: how often the events of a group occurred before each branch of a stack (PERF_SAMPLE_BRANCH_COUNTERS,
// linux 6.8), as `script -F brcntr` shows it.
//
//   counters word of one branch:  … | event 2 | event 1 | event 0 |    `width` bits each, members of the group that
//                                                                       have branch_bit::Counters, in their order
//
// Text: a letter per occurrence ("AAB"), '+' after a saturated counter's letters, '-' if all are 0; with `verbose`
// names and numbers ("cycles 2 branch-misses 0"). Const and thread safe.
#pragma once
#include <string>
#include <vector>

#include "base/types.h"
#include "data/feature/features.h"
#include "data/header/evlist.h"

namespace peregrine {

class BranchCounters {
 public:
  BranchCounters() = default;
  BranchCounters(const data::Evlist& evlist, const std::vector<std::string>& names, const data::Features& features,
                 bool verbose);

  // Explains the letters, in lines that begin with '#'. Empty if no event has counters, or names are shown.
  std::string legend() const;
  // The counters of a branch of that event.
  void append(std::string& text, u32 event, u64 word) const;

 private:
  struct Counter {
    u32 event = 0;
    u32 leader = 0;
    char letter = 'A';
    std::string name;
  };
  std::vector<Counter> counters_;  // ordered by event
  std::vector<u32> leaders_;       // by event
  unsigned width_ = 2;
  bool verbose_ = false;
};

// The width of a counter in bits, from the recording's PMU capabilities; 2 if missing, as on all processors so far.
unsigned branch_counter_width(const data::Features& features);

}  // namespace peregrine
