// ThreadTable: the thread, comm and address space of a tid at a moment.
//
// Written by Machine::apply, in order; read by many threads in between. A tid has a chain of states, newest first; a
// look-up follows it back to the valid state. find() usually takes one probe and one state, about 10 ns.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/container/string_pool.h"
#include "base/types.h"
#include "machine/process/moment.h"

namespace peregrine {

// The id of a comm. Threads that never had a name have ids made from the tid, which need no table.
struct CommId {
  static constexpr u32 kUnnamed = 0x80000000u;  // | tid
  u32 value = kUnnamed;
  bool unnamed() const { return (value & kUnnamed) != 0; }
  i32 tid() const { return static_cast<i32>(value << 1) >> 1; }  // for unnamed comms
  static CommId of_tid(u32 tid) { return CommId{kUnnamed | tid}; }
  friend auto operator<=>(CommId, CommId) = default;
};

struct ThreadState {
  u32 pid = 0;  // the thread's process, as first seen
  u32 tid = 0;
  ThreadId thread;  // invalid: never named by side-band
  CommId comm;
  SpaceId space;     // invalid: no maps
  Moment until = 0;  // valid for all moments before this one (as far as known)
};

// The last state of a thread, and its creator.
struct Task {
  ThreadState state;
  std::optional<u32> parent;  // the tid that forked it, if there was a FORK record
};

class ThreadTable {
 public:
  ThreadTable();

  // Names a thread from now on.
  void set_comm(u32 pid, u32 tid, std::string_view comm, Moment moment);
  // Starts a new generation of the tid.
  void fork(u32 pid, u32 tid, CommId comm, SpaceId space, Moment moment, std::optional<u32> parent = std::nullopt);
  // Gives the thread an address space from now on (for a process first seen in a map or comm).
  void set_space(u32 pid, u32 tid, SpaceId space, Moment moment);

  // Ends the thread. It can still be found until forget_before() passes this moment.
  void exit(u32 pid, u32 tid, Moment moment);
  // Drops the threads that ended before `moment`, and the states that no query for `moment` or later can reach. Walks
  // the whole table, so callers should wait for is_worth_forgetting(), which makes the cost per state constant on
  // average.
  void forget_before(Moment moment);
  bool is_worth_forgetting() const { return states_.size() > 2 * kept_ + kFreeStates; }
  // Marks every address space that some state refers to.
  void mark_spaces(std::vector<bool>& spaces) const;

  // `pid`: ~0u if unknown.
  ThreadState find(u32 pid, u32 tid, Moment moment) const;
  ThreadState newest(u32 pid, u32 tid) const { return find(pid, tid, kForever); }

  // Returns the newest thread of each tid, unsorted.
  std::vector<Task> tasks() const;

  std::string comm_text(CommId comm) const;
  // Returns the name to report for samples taken before the thread had one: that of its first COMM record, as in
  // linux-perf's report (its script uses only the name at that moment). Stays unnamed if there never was a record.
  CommId first_name(CommId comm) const;
  std::string_view comm_view(CommId comm) const {
    return comm.unnamed() ? std::string_view() : names_.view(StringId(comm.value));
  }
  std::optional<CommId> find_comm(std::string_view name) const;
  std::size_t comm_count() const { return names_.size(); }
  std::size_t state_count() const { return states_.size(); }

 private:
  struct State {
    Moment from;
    u32 previous;  // index or kNone
    u32 jump;      // index of an older state, or the state's own index: find() goes back n states in O(log n) steps
    u32 depth;     // number of older states
    u32 pid;
    u32 thread;
    u32 comm;
    u32 space;
    bool renamed;  // named by a COMM record rather than inherited from the parent
    bool exited = false;
  };
  static constexpr u32 kNone = 0xffffffffu;
  static constexpr std::size_t kFreeStates = 4096;
  struct Slot {
    u32 tid = 0;
    u32 newest = kNone;  // index into states_; kNone: empty slot
    u32 parent = kNone;  // tid that forked the newest thread; kNone: no FORK record
  };

  Slot& slot_of(u32 tid);
  const Slot* find_slot(u32 tid) const;
  void grow();
  State& push(u32 pid, u32 tid, Moment moment);
  void append(State state, u32 previous);

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
  std::vector<State> states_;
  std::size_t kept_ = 0;  // states left by the last forget_before()
  u32 threads_ = 0;
  StringPool names_;
};

}  // namespace peregrine
