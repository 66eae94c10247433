// CallMerge: merges system calls and other events from two sources, each in order, into one time line. A call is placed
// at its end.
//
//   BPF ring ─▶ call(), name() ──┐
//                                ├─▶ release(until): everything before `until`, in order
//   HitStream ─▶ add() ──────────┘
//
// Later items wait, since earlier ones from the other source may be missing. One thread.
#pragma once
#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/types.h"
#include "capture/sampling/hit_reader.h"
#include "event/syscall/call.h"

namespace peregrine {

class CallMerge : public CallReader {
 public:
  // Return false to stop.
  using HitReader = std::function<bool(const EventHit&)>;
  CallMerge(CallReader& calls, HitReader hits) : calls_(calls), hits_(std::move(hits)) {}

  bool call(const TracedCall& call) override;
  // Not needed here: a source that pairs enter and exit is already in order.
  bool interrupted(const TracedCall& call) override { return calls_.interrupted(call); }
  void name(i32 pid, i32 tid, std::string_view comm) override;
  // Ascending; a drain may start with items older than the end of the previous one.
  void add(std::vector<EventHit> hits);

  bool release(u64 until);
  bool release_all() { return release(~u64{0}); }

 private:
  struct Waiting {
    TracedCall call;  // its pieces point into `bytes`
    std::vector<std::byte> bytes;
    CallerStack caller;
    bool is_name = false;
    std::string comm;
  };
  bool show(Waiting& waiting);

  CallReader& calls_;
  HitReader hits_;
  std::deque<Waiting> waiting_calls_;
  std::deque<EventHit> waiting_hits_;
  bool goes_on_ = true;
};

}  // namespace peregrine
