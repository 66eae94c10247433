// The report of block I/O: the tables of btt, and those that it lacks: percentiles, groups, processes, idle periods and
// the queue depth over time.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "analysis/block/block_report.h"
#include "base/types.h"
#include "output/sink.h"
#include "output/text/block/block_totals_text.h"

namespace peregrine {

struct BlockReportLook {
  BlockDeviceName device_name;
  std::vector<std::string> keys;  // titles of the groups' columns; empty: no groups
  bool all_data = false;          // also phases per device and per process
};
void print_block_report(const BlockReport& report, const BlockReportLook& look, Sink& out);

// A table of the requests since the last one, per device and process.
void print_block_top(const BlockReport& report, double seconds, unsigned most_rows, Sink& out);

}  // namespace peregrine
