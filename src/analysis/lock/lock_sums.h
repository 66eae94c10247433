// lock_rows: the rows of `lock contention` from waits that a BPF program has summed up, by the functions that a machine
// of the running kernel names.
#pragma once
#include <span>

#include "analysis/lock/lock_usage.h"
#include "capture/scheduling/lock_watcher.h"

namespace peregrine {

// Waits of one caller are one row, whichever stacks led to them. In no order.
std::vector<LockRow> lock_rows(std::span<const LockWaits> waits, const LockUsage::Request& request, Machine& machine);

}  // namespace peregrine
