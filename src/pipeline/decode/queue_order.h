// QueueOrder: the queues of a decoder by the time up to which each has told, by CPU and by thread. There may be
// thousands: none is looked at for another's sake.
//
// A queue that told all is let go. `queues` outlives it, and stays as long as it is. One worker.
#pragma once
#include <queue>
#include <span>
#include <unordered_map>
#include <vector>

#include "pipeline/decode/trace_decoder.h"

namespace peregrine {

class QueueOrder {
 public:
  explicit QueueOrder(std::vector<TraceDecoder::Queue>& queues);

  // Lets the queue that is furthest behind (of equal ones the first) tell what happened up to `time`, or a little more
  // than the next one told. False: all have told as much.
  bool run_first(u64 time, Moment moment);
  // Those that have still something to tell, by number.
  std::span<const u32> of_cpu(u32 cpu) const { return find(by_cpu_, cpu); }
  std::span<const u32> of_thread(u32 tid) const { return find(by_thread_, tid); }
  // Null when it told all.
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
