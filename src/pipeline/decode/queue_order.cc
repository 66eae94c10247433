#include "pipeline/decode/queue_order.h"

#include <memory>

#include "base/types.h"
#include "machine/process/moment.h"
#include "pipeline/decode/trace/trace_queue.h"

namespace peregrine {

QueueOrder::QueueOrder(std::vector<TraceDecoder::Queue>& queues) : queues_(queues) {
  for (u32 number = 0; number < queues.size(); ++number) {
    put_back(number);
    by_cpu_[queues[number].cpu].push_back(number);
    by_thread_[queues[number].tid].push_back(number);
  }
}

std::span<const u32> QueueOrder::find(const Numbers& numbers, u32 key) {
  const auto found = numbers.find(key);
  return found == numbers.end() ? std::span<const u32>() : found->second;
}

void QueueOrder::put_back(u32 number) {
  std::unique_ptr<TraceQueue>& queue = queues_[number].trace;
  if (const u64 time = queue->time(); time != TraceQueue::kEnd) {
    waiting_.emplace(time, number);
  } else {
    queue.reset();
  }
}

bool QueueOrder::run_first(u64 time, Moment moment) {
  while (!waiting_.empty() && waiting_.top().first < time) {
    const auto [since, number] = waiting_.top();
    waiting_.pop();
    TraceQueue* const queue = queues_[number].trace.get();
    if (queue->time() != since) {  // stale: the queue has run since it was queued
      put_back(number);
      continue;
    }
    const u64 next = waiting_.empty() ? TraceQueue::kEnd : waiting_.top().first;
    queue->run(next >= time ? time : next + 1, moment);
    put_back(number);
    return true;
  }
  return false;
}

}  // namespace peregrine
