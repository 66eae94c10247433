// BlockTotals: how many requests were queued, merged, dispatched and completed, per CPU and device: blkparse's summary.
#pragma once
#include <map>

#include "abi/blktrace_record.h"
#include "analysis/block/block_event.h"
#include "base/types.h"

namespace peregrine {

struct BlockCount {
  u64 requests = 0, bytes = 0;
  void add(const BlockCount& other) { requests += other.requests, bytes += other.bytes; }
};

// Reads and writes; a discard is a write, a flush alone is a read.
struct BlockDirections {
  BlockCount reads, writes;
  void add(const abi::BlktraceRecord& record);
  void add(const BlockDirections& other) { reads.add(other.reads), writes.add(other.writes); }
};

struct BlockSums {
  BlockDirections queued, dispatched, requeued, completed, merged;
  BlockDirections commands_queued, commands_dispatched, commands_requeued, commands_completed;  // not of sectors
  u64 unplugs = 0, timed_unplugs = 0;

  void add(const abi::BlktraceRecord& record);
  void add(const BlockSums& other);
  bool has_commands() const;
};

struct BlockDeviceTotals {
  std::map<u32, BlockSums> cpus;
  BlockSums sums() const;
  std::map<u32, u64> cpu_events;
  u64 events = 0, first = 0, last = 0;  // first, last: ns
  u64 read_depth = 0, write_depth = 0;  // the most requests that the driver had at once
  u64 reads_now = 0, writes_now = 0;
};

class BlockTotals {
 public:
  void add(const BlockEvent& event);
  // By BlockEvent::group.
  const std::map<u32, BlockDeviceTotals>& devices() const { return devices_; }

 private:
  std::map<u32, BlockDeviceTotals> devices_;
};

}  // namespace peregrine
