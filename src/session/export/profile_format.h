// ProfileFormat: which format of other programs a profile is written in, and what of the profile.
#pragma once
#include <string>

#include "analysis/profile/folded_stacks.h"

namespace peregrine {

struct ProfileFormat {
  std::string name;  // "folded", "pprof", …; empty: text for people
  FoldRequest fold;
  std::string event;      // the event of a format that shows one; empty: the first with samples
  bool by_count = false;  // samples, not periods

  // These need the time of each sample.
  bool is_timed() const { return name == "firefox" || name == "chrome"; }
};

}  // namespace peregrine
