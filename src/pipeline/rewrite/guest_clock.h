// GuestClock: converts a guest recording's times to the host's clock.
//
//   guest's ns ─▶ guest's TSC ─▶ minus offset, over scale ─▶ host's TSC ─▶ host's ns
//
// Without TIME_CONV there is no TSC: times are taken as ticks.
#pragma once
#include <optional>

#include "abi/session_record.h"
#include "base/types.h"

namespace peregrine {

struct GuestClock {
  std::optional<abi::TimeConvRecord> guest, host;
  u64 offset = 0;    // guest TSC minus host TSC, as added by VMX
  double scale = 1;  // factor VMX applies to the host's TSC

  // 0 means no time and is unchanged.
  u64 host_time(u64 guest_time) const;
};

}  // namespace peregrine
