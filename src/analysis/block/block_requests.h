// BlockRequests: follows each request from Q to C and measures the phases between. As btt, with one difference: a split
// request (X) becomes two, each of which completes; btt loses both.
//
// A later event belongs to all queued requests inside of its sectors: D 100 + 24 issues Q 100 + 8 and Q 108 + 16, which
// was merged. Events of no sectors (flushes) are left out. A request without later events would stay forever: of more
// than kMostPending, the older half is forgotten.
#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "abi/blktrace_record.h"
#include "analysis/block/block_event.h"
#include "analysis/block/block_phase.h"
#include "base/types.h"

namespace peregrine {

// A request that was queued. Times in ns; 0: not yet.
struct BlockRequest {
  u64 sector = 0, end = 0;
  u64 queued = 0, got = 0, inserted = 0, merged = 0, issued = 0;
  u32 group = 0;
  u32 row = 0;                       // for the use of `label`
  std::vector<std::string> labels;   // the values of the keys that requests are grouped by
  std::vector<std::string> process;  // name and number of the thread
};

class BlockRequests {
 public:
  // Per disk; far more than disks and schedulers queue.
  static constexpr std::size_t kMostPending = std::size_t{1} << 16;
  struct Callbacks {
    // A phase of the request took this long.
    std::function<void(const BlockRequest&, BlockPhase, u64)> took;
    // Fills in labels and process when a request is queued.
    std::function<void(BlockRequest&, const BlockEvent&)> label;
  };
  explicit BlockRequests(Callbacks callbacks) : callbacks_(std::move(callbacks)) {}

  // The number of queued requests that the event concerns.
  std::size_t add(const BlockEvent& event);
  std::size_t pending() const;

 private:
  using Pending = std::multimap<u64, BlockRequest>;  // by sector
  struct Disk {
    Pending pending;
    std::unordered_map<u64, u64> asleep;  // S by sector
  };
  static void limit(Disk& disk);
  template <class Use>
  static std::size_t each_inside(Disk& disk, const abi::BlktraceRecord& record, const Use& use);
  void queue(Disk& disk, const BlockEvent& event);
  static void split(Disk& disk, const abi::BlktraceRecord& record);
  std::size_t get(Disk& disk, const abi::BlktraceRecord& record);
  std::size_t insert(Disk& disk, const abi::BlktraceRecord& record);
  std::size_t merge(Disk& disk, const abi::BlktraceRecord& record);
  std::size_t issue(Disk& disk, const abi::BlktraceRecord& record);
  static std::size_t requeue(Disk& disk, const abi::BlktraceRecord& record);
  std::size_t complete(Disk& disk, const abi::BlktraceRecord& record);
  void remap(const BlockEvent& event);
  static BlockRequest* covering(Disk& disk, u64 sector);
  void took(const BlockRequest& request, BlockPhase phase, u64 from, u64 until);

  Callbacks callbacks_;
  std::map<u32, Disk> disks_;  // by BlockEvent::group
};

}  // namespace peregrine
