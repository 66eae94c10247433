#include "analysis/trace/call_merge.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

#include "base/bytes.h"
#include "base/types.h"
#include "capture/sampling/hit_reader.h"

namespace peregrine {

bool CallMerge::call(const TracedCall& call) {
  Waiting& waiting = waiting_calls_.emplace_back();
  waiting.call = call;
  std::size_t size = 0;
  for (unsigned i = 0; i < call.pieces; ++i) size += call.piece[i].bytes.size();
  waiting.bytes.reserve(size);
  for (unsigned i = 0; i < call.pieces; ++i) {
    const Bytes piece = call.piece[i].bytes;
    waiting.bytes.insert(waiting.bytes.end(), piece.begin(), piece.end());
    waiting.call.piece[i].bytes = Bytes(waiting.bytes).last(piece.size());
  }
  if (call.caller != nullptr) waiting.caller = *call.caller;
  return goes_on_;
}

void CallMerge::name(i32 pid, i32 tid, std::string_view comm) {
  Waiting& waiting = waiting_calls_.emplace_back();
  waiting.call.pid = pid;
  waiting.call.tid = tid;
  waiting.is_name = true;
  waiting.comm = comm;
}

void CallMerge::add(std::vector<EventHit> hits) {
  const auto waiting = static_cast<std::ptrdiff_t>(waiting_hits_.size());
  std::move(hits.begin(), hits.end(), std::back_inserter(waiting_hits_));
  std::ranges::inplace_merge(waiting_hits_, waiting_hits_.begin() + waiting, {}, &EventHit::time);
}

bool CallMerge::show(Waiting& waiting) {
  if (!waiting.is_name) {
    if (waiting.call.caller != nullptr) waiting.call.caller = &waiting.caller;
    return calls_.call(waiting.call);
  }
  calls_.name(waiting.call.pid, waiting.call.tid, waiting.comm);
  return true;
}

// A name applies to the calls that follow it, so it keeps its position among the calls.
bool CallMerge::release(u64 until) {
  while (goes_on_) {
    const bool has_call =
        !waiting_calls_.empty() && (waiting_calls_.front().is_name || waiting_calls_.front().call.end() < until);
    const bool has_hit = !waiting_hits_.empty() && waiting_hits_.front().time < until;
    if (!has_call && !has_hit) break;
    const bool hit_first =
        has_hit && (waiting_calls_.empty() || (!waiting_calls_.front().is_name &&
                                               waiting_hits_.front().time < waiting_calls_.front().call.end()));
    if (hit_first) {
      goes_on_ = hits_(waiting_hits_.front());
      waiting_hits_.pop_front();
    } else {
      goes_on_ = show(waiting_calls_.front());
      waiting_calls_.pop_front();
    }
  }
  return goes_on_;
}

}  // namespace peregrine
