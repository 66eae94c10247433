// lock_rows: the rows of `lock contention` from waits aggregated by a BPF program, with symbols of a machine of the
// running kernel.
#pragma once
#include <span>
#include <vector>

#include "analysis/lock/lock_usage.h"
#include "capture/scheduling/lock_watcher.h"
#include "machine/machine.h"

namespace peregrine {

// Waits with the same caller form one row, whatever their stacks. Unordered.
std::vector<LockRow> lock_rows(std::span<const LockWaits> waits, const LockUsage::Request& request, Machine& machine);

}  // namespace peregrine
