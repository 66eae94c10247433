// The blocks of report --butterfly:
//
//             60.00%      main  [prog]            callers: their share of the calls
//   50.00%    30.00%  work  [prog]                the function: total and self, of all samples
//             60.00%      [self]                  callees: their share of the function's total
//             40.00%      memcpy  [libc.so.6]
#pragma once
#include "analysis/profile/butterfly.h"
#include "analysis/profile/profile.h"
#include "output/sink.h"

namespace peregrine {

struct ButterflyLook {
  u32 event = 0;
  bool by_count = false;
  double least_percent = 0;  // functions below it are not shown
};

void print_butterfly(Sink& out, const Profile& profile, const CallButterfly& butterfly, const ButterflyLook& look);

}  // namespace peregrine
