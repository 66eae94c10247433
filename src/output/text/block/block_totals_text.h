// The summaries of block I/O: of blkparse (per CPU and device), and of blktrace at the end of a recording.
#pragma once
#include <functional>
#include <string>

#include "analysis/block/block_totals.h"
#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

using BlockDeviceName = std::function<std::string(u32)>;

// The same for each thread, sorted by name.
void print_block_processes(const BlockTotals& totals, Sink& out);
void print_block_totals(const BlockTotals& totals, const BlockDeviceName& name, Sink& out);

// "  CPU  0:  7082 events, 332 KiB data": the size that blktrace's streams would have. `dropped`: of all devices.
void print_block_record_totals(const BlockTotals& totals, const BlockDeviceName& name, u64 dropped, Sink& out);

}  // namespace peregrine
