// CallMerge: system calls and other events that come from two sources, each in its own order, as one line of time: a
// call stands where it ends.
//
//   BPF ring ─▶ call(), name() ──┐
//                                ├─▶ release(until): whatever happened before `until`, in order
//   HitStream ─▶ add() ──────────┘
//
// What is younger waits: its neighbours from the other source may not be here yet. One thread.
#pragma once
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "capture/sampling/hit_stream.h"
#include "event/syscall/call.h"

namespace peregrine {

class CallMerge : public CallReader {
 public:
  // False: enough.
  using HitReader = std::function<bool(const EventHit&)>;
  CallMerge(CallReader& calls, HitReader hits) : calls_(calls), hits_(std::move(hits)) {}

  bool call(const TracedCall& call) override;
  // Whoever puts calls together from two halves has an order already, and needs no merge.
  bool interrupted(const TracedCall& call) override { return calls_.interrupted(call); }
  void name(i32 pid, i32 tid, std::string_view comm) override;
  // Ascending; one drain may begin with what is older than the end of the drain before.
  void add(std::vector<EventHit> hits);

  bool release(u64 until);
  bool release_all() { return release(~u64{0}); }

 private:
  struct Waiting {
    TracedCall call;  // its pieces lie in `bytes`
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
