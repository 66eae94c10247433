// The report of block I/O: the tables of btt, and those that it lacks: percentiles, groups, processes, idle periods and
// the queue depth over time.
#pragma once
#include <functional>
#include <string>
#include <string_view>
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

// Total time of requests, number of requests, bytes, 99th percentile of their times.
enum class BlockTopOrder : u8 { Time, Requests, Bytes, Latency };
std::string_view order_word(BlockTopOrder order);  // "total time"
BlockTopOrder next_order(BlockTopOrder order);
// A table of the requests since the last one, per device and process.
void print_block_top(const BlockReport& report, double seconds, unsigned most_rows, BlockTopOrder order, Sink& out);

}  // namespace peregrine
