#include "machine/process/thread_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/types.h"

namespace peregrine {
namespace {

std::size_t hash_tid(u32 tid) { return (tid * u64{0x9e3779b97f4a7c15}) >> 32; }

}  // namespace

ThreadTable::ThreadTable() : slots_(256) {}

const ThreadTable::Slot* ThreadTable::find_slot(u32 tid) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash_tid(tid) & mask;; i = (i + 1) & mask) {
    if (slots_[i].newest == kNone) return nullptr;
    if (slots_[i].tid == tid) return &slots_[i];
  }
}

ThreadTable::Slot& ThreadTable::slot_of(u32 tid) {
  if (used_ * 2 >= slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash_tid(tid) & mask;
  while (slots_[i].newest != kNone && slots_[i].tid != tid) i = (i + 1) & mask;
  if (slots_[i].newest == kNone) {
    slots_[i].tid = tid;
    ++used_;
  }
  return slots_[i];
}

void ThreadTable::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.newest == kNone) continue;
    std::size_t i = hash_tid(slot.tid) & mask;
    while (slots_[i].newest != kNone) i = (i + 1) & mask;
    slots_[i] = slot;
  }
}

// Pushes a copy of the tid's newest state, or a blank state, valid from `moment` on.
ThreadTable::State& ThreadTable::push(u32 pid, u32 tid, Moment moment) {
  Slot& slot = slot_of(tid);
  State next{.from = moment,
             .previous = kNone,
             .jump = kNone,
             .depth = 0,
             .pid = pid,
             .thread = kNone,
             .comm = CommId::of_tid(tid).value,
             .space = kNone,
             .renamed = false};
  if (slot.newest != kNone) {
    next = states_[slot.newest];
    next.from = moment;
    next.exited = false;
  } else {
    next.thread = threads_++;
  }
  append(next, std::exchange(slot.newest, static_cast<u32>(states_.size())));
  return states_.back();
}

// Jumps are those of a skew-binary list (E. Myers, An applicative random-access stack, 1983): two equal jumps in a row
// are joined into one. Otherwise, a thread that is renamed at every sample would take quadratic time.
void ThreadTable::append(State state, u32 previous) {
  state.previous = previous;
  state.jump = static_cast<u32>(states_.size());
  state.depth = 0;
  if (previous != kNone) {
    const State& last = states_[previous];
    const State& far = states_[last.jump];
    state.depth = last.depth + 1;
    state.jump = last.depth - far.depth == far.depth - states_[far.jump].depth ? far.jump : previous;
  }
  states_.push_back(state);
}

void ThreadTable::set_comm(u32 pid, u32 tid, std::string_view comm, Moment moment) {
  State& state = push(pid, tid, moment);
  state.comm = names_.intern(comm).value;
  state.renamed = true;
}

void ThreadTable::set_space(u32 pid, u32 tid, SpaceId space, Moment moment) {
  push(pid, tid, moment).space = space.value;
}

void ThreadTable::fork(u32 pid, u32 tid, CommId comm, SpaceId space, Moment moment, std::optional<u32> parent) {
  State& state = push(pid, tid, moment);
  // The tid was used before: the new thread is another one.
  if (state.previous != kNone) state.thread = threads_++;
  state.pid = pid;
  state.renamed = false;
  state.comm = comm.unnamed() ? CommId::of_tid(tid).value : comm.value;
  state.space = space.value;
  slot_of(tid).parent = parent.value_or(kNone);
}

void ThreadTable::exit(u32 pid, u32 tid, Moment moment) {
  if (find_slot(tid) != nullptr) push(pid, tid, moment).exited = true;
}

// Keeps the states that a look-up at `moment` or later can reach: for each tid those after it and the one valid at it.
// Tids that exited before are dropped. Everything is built anew, because states refer to each other by index.
void ThreadTable::forget_before(Moment moment) {
  const std::vector<State> states = std::exchange(states_, {});
  const std::vector<Slot> slots = std::exchange(slots_, std::vector<Slot>(256));
  used_ = 0;
  std::vector<u32> chain;  // states of one tid, newest first
  for (const Slot& slot : slots) {
    if (slot.newest == kNone || (states[slot.newest].exited && states[slot.newest].from < moment)) continue;
    chain.clear();
    for (u32 at = slot.newest; at != kNone; at = states[at].from <= moment ? kNone : states[at].previous)
      chain.push_back(at);
    Slot& kept = slot_of(slot.tid);
    kept.parent = slot.parent;
    for (; !chain.empty(); chain.pop_back())
      append(states[chain.back()], std::exchange(kept.newest, static_cast<u32>(states_.size())));
  }
  kept_ = states_.size();
}

void ThreadTable::mark_spaces(std::vector<bool>& spaces) const {
  for (const State& state : states_)
    if (state.space != kNone) spaces[state.space] = true;
}

std::vector<Task> ThreadTable::tasks() const {
  std::vector<Task> result;
  for (const Slot& slot : slots_) {
    if (slot.newest == kNone) continue;
    result.push_back({newest(states_[slot.newest].pid, slot.tid), {}});
    if (slot.parent != kNone) result.back().parent = slot.parent;
  }
  return result;
}

ThreadState ThreadTable::find(u32 pid, u32 tid, Moment moment) const {
  ThreadState result;
  result.pid = pid;
  result.tid = tid;
  result.comm = CommId::of_tid(tid);
  result.until = kForever;
  if (const Slot* slot = find_slot(tid)) {
    // Newest first, since samples mostly ask for the present. A jump is taken only if it stays after `moment`, so the
    // number of steps is logarithmic.
    for (u32 at = slot->newest; at != kNone;) {
      const State& state = states_[at];
      if (state.from > moment) {
        result.until = state.from;
        at = state.jump != at && states_[state.jump].from > moment ? state.jump : state.previous;
        continue;
      }
      result.pid = state.pid;
      result.thread = ThreadId(state.thread);
      result.comm = CommId{state.comm};
      result.space = SpaceId(state.space);
      return result;
    }
  }
  if (pid != tid && pid != kNone) {  // an unannounced thread uses the maps of its process
    const ThreadState leader = find(pid, pid, moment);
    result.space = leader.space;
    result.until = std::min(result.until, leader.until);
  }
  return result;
}

CommId ThreadTable::first_name(CommId comm) const {
  const Slot* slot = comm.unnamed() ? find_slot(static_cast<u32>(comm.tid())) : nullptr;
  if (slot == nullptr) return comm;
  CommId later = comm, found = comm;  // comms of the next newer state and of the earliest unnamed one
  for (u32 at = slot->newest; at != kNone; at = states_[at].previous) {
    const State& state = states_[at];
    if (CommId{state.comm}.unnamed()) found = later;
    later = state.renamed ? CommId{state.comm} : comm;
  }
  return later.unnamed() ? found : later;
}

std::string ThreadTable::comm_text(CommId comm) const {
  return comm.unnamed() ? fmt::format(":{}", comm.tid()) : std::string(names_.view(StringId(comm.value)));
}

std::optional<CommId> ThreadTable::find_comm(std::string_view name) const {
  const StringId id = names_.find(name);
  if (!id) return std::nullopt;
  return CommId{id.value};
}

}  // namespace peregrine
