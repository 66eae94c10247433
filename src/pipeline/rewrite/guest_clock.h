// GuestClock: the times of a guest's recording as the host's clock would have told them.
//
//   guest's ns ─▶ guest's TSC ─▶ minus offset, over scale ─▶ host's TSC ─▶ host's ns
//
// A recording without TIME_CONV has no TSC: its times are taken as ticks.
#pragma once
#include <optional>

#include "abi/session_record.h"

namespace peregrine {

struct GuestClock {
  std::optional<abi::TimeConvRecord> guest, host;
  u64 offset = 0;    // TSC of the guest minus that of the host, as VMX adds it
  double scale = 1;  // what VMX multiplies the host's TSC by

  // 0, which is no time, stays.
  u64 host_time(u64 guest_time) const;
};

}  // namespace peregrine
