// Sections of the report of block I/O about its devices: btt's tables of merges, seeks, plugs and activity, and the
// history of each device.
#pragma once
#include <string_view>

#include "analysis/block/block_report.h"
#include "base/types.h"
#include "output/sink.h"
#include "output/text/block/block_totals_text.h"

namespace peregrine {

// ns → s.
inline double block_seconds(u64 ns) { return static_cast<double>(ns) / 1e9; }
// "==================== All Devices ====================".
void print_block_section(std::string_view title, Sink& out);
void print_block_activity(const BlockReport& report, const BlockDeviceName& name, Sink& out);
// Queue depth, requests and bytes over time, and the longest idle periods.
void print_block_history(const BlockReport& report, const BlockDeviceName& name, Sink& out);

}  // namespace peregrine
