// BlockReport: where the time of block I/O goes: phases of requests per device and process, grouped by any keys, and
// what each disk did over time.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/block/block_activity.h"
#include "analysis/block/block_event.h"
#include "analysis/block/block_phase.h"
#include "analysis/block/block_requests.h"
#include "analysis/field/latency_map.h"
#include "base/types.h"

namespace peregrine {

enum class BlockKey : u8 { Device, Comm, Pid, Kind, Chain, File };

struct BlockIoRow {
  std::vector<std::string> labels;  // values of the keys
  BlockPhaseTimes times;
  BlockTimes queue_to_issue;                                   // of completed requests that were issued
  u64 reads = 0, writes = 0, read_bytes = 0, write_bytes = 0;  // queued
};

class BlockReport {
 public:
  struct Request {
    std::vector<BlockKey> keys;                   // of rows()
    std::function<std::string(u32)> device_name;  // of a group
    bool points = false;                          // keep each D2C, for a picture
    bool sizes = false;                           // keep the size of each issued request, for a picture
    bool activity = true;                         // of devices; its memory grows with the number of events
    unsigned chain_depth = 8;
  };
  explicit BlockReport(Request request);
  BlockReport(const BlockReport&) = delete;
  BlockReport& operator=(const BlockReport&) = delete;

  void add(const BlockEvent& event);

  // Requests that were issued to the disks, and those of which the completion was seen; never forgotten.
  u64 issued() const { return issued_; }
  u64 completed() const { return completed_; }
  const BlockPhaseTimes& all() const { return all_; }
  struct Device {
    BlockPhaseTimes times;
    BlockActivity activity;
    std::optional<u64> last_queued;
  };
  const std::map<u32, Device>& devices() const { return devices_; }  // by group
  // Largest total Q2C first.
  std::vector<const BlockIoRow*> rows() const { return sorted(rows_); }
  // The same for each name and number of a thread.
  std::vector<const BlockIoRow*> processes() const { return sorted(processes_); }
  const std::vector<PairPoint>& points() const { return points_; }
  // The bytes of issued requests, as `took`.
  const std::vector<PairPoint>& sizes() const { return sizes_; }
  // Starts a new interval: rows and processes begin empty.
  void forget_rows();

 private:
  using Rows = std::map<std::vector<std::string>, BlockIoRow>;
  static std::vector<const BlockIoRow*> sorted(const Rows& rows);
  static BlockIoRow& row_of(Rows& rows, const std::vector<std::string>& labels);
  std::string label(BlockKey key, const BlockEvent& event) const;
  void took(const BlockRequest& request, BlockPhase phase, u64 duration);
  static void count(BlockIoRow& row, const abi::BlktraceRecord& record);

  Request request_;
  BlockRequests requests_;
  BlockPhaseTimes all_;
  std::map<u32, Device> devices_;
  Rows rows_, processes_;
  std::optional<u64> last_queued_;
  u64 now_ = 0;
  u64 issued_ = 0, completed_ = 0;
  std::vector<PairPoint> points_, sizes_;
};

}  // namespace peregrine
