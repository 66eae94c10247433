// BlockTotals: how many requests were queued, merged, dispatched and completed, per CPU and device: blkparse's summary.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "abi/blktrace_record.h"
#include "analysis/block/block_event.h"
#include "analysis/block/block_steps.h"
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

// What one thread did.
struct BlockProcessTotals {
  std::string name;  // empty: unknown
  BlockSums sums;
  struct Waits {
    u64 reads = 0, writes = 0;  // the longest, ns
  };
  Waits allocation, dispatch, completion;  // of its requests: from G to I, from I to D, from D to C
};

class BlockTotals {
 public:
  // Recordings are untrusted: threads beyond this number are summed under kOtherThreads.
  static constexpr std::size_t kMostProcesses = std::size_t{1} << 16;
  static constexpr u32 kOtherThreads = ~u32{0};

  // `processes`: also count by thread.
  explicit BlockTotals(bool processes = false) : counts_processes_(processes) {}
  // `step`: of the event, if it is known.
  void add(const BlockEvent& event, const std::optional<BlockStep>& step = {});
  // By BlockEvent::group.
  const std::map<u32, BlockDeviceTotals>& devices() const { return devices_; }
  // By thread.
  const std::map<u32, BlockProcessTotals>& processes() const { return processes_; }

 private:
  void add_to_process(const BlockEvent& event, const std::optional<BlockStep>& step);
  BlockProcessTotals& process(u32 pid);

  bool counts_processes_;
  std::map<u32, BlockDeviceTotals> devices_;
  std::map<u32, BlockProcessTotals> processes_;
};

}  // namespace peregrine
