// QueueOrder: indexes a decoder's queues by progress, by CPU and by thread, so that no operation scans them all; there
// may be thousands.
//
// Finished queues are released. `queues` must outlive this and keep its size. One worker.
#pragma once
#include <functional>
#include <queue>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/types.h"
#include "machine/process/moment.h"
#include "pipeline/decode/trace/trace_queue.h"
#include "pipeline/decode/trace_decoder.h"

namespace peregrine {

class QueueOrder {
 public:
  explicit QueueOrder(std::vector<TraceDecoder::Queue>& queues);

  // Runs the queue furthest behind (the first of equals) up to `time`, or slightly beyond the next one. False if all
  // have reached it.
  bool run_first(u64 time, Moment moment);
  // The numbers of those not finished.
  std::span<const u32> of_cpu(u32 cpu) const { return find(by_cpu_, cpu); }
  std::span<const u32> of_thread(u32 tid) const { return find(by_thread_, tid); }
  // Null if finished.
  TraceQueue* queue(u32 number) { return queues_[number].trace.get(); }

 private:
  using Numbers = std::unordered_map<u32, std::vector<u32>>;
  using Entry = std::pair<u64, u32>;  // time and number
  static std::span<const u32> find(const Numbers& numbers, u32 key);

  void put_back(u32 number);

  std::vector<TraceDecoder::Queue>& queues_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> waiting_;  // times may be earlier than the queues'
  Numbers by_cpu_, by_thread_;
};

}  // namespace peregrine
