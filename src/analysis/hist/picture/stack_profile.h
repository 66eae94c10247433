// StackProfile: the data of flame graphs and pages: a tree of stacks of named frames, and weights by series and time. A
// series is an event of a recording, or one side of a comparison.
//
//   Hists ──StackProfileMaker::add──▶ StackProfile ──▶ FlameTree (SVG) · the HTML page
//
// A stack is a frame on top of another stack; comms are at the bottom. Frames are distinguished by name, dso and kind;
// a run of unresolved frames of one dso is one frame. A stack with an outermost frame in no map is broken: its
// outermost frame becomes "[broken stack]". Contains only values, no ids of the machine.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/hist/chain/chain_tree.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/naming.h"
#include "analysis/hist/picture/stack_table.h"
#include "base/types.h"

namespace peregrine {

// The self weight of one stack in one time slot and, if threads were kept, of one thread.
struct StackWeight {
  u32 stack = 0, slot = 0;
  u64 samples = 0, period = 0;
  u32 thread = 0;  // tid
};

struct StackSeries {
  std::string name;
  std::vector<StackWeight> weights;  // sorted by stack, slot, thread
  u64 samples() const;
  u64 period() const;
};

struct StackProfile {
  std::vector<std::string> texts;  // texts[0] is ""
  std::vector<StackFrame> frames;  // frames[0] is the root
  std::vector<Stack> stacks;       // stacks[0] is empty; parents before children
  std::vector<StackSeries> series;
  u64 start = 0, slot_length = 0;  // ns; slot_length 0: time was not kept
  u32 slots = 1;
  bool has_threads = false;  // in the weights

  std::string_view name(u32 frame) const { return texts[frames[frame].name]; }
};

// Which group values of a Hists to use, and the series name.
struct StackSource {
  std::string name;
  u32 event = 0;
  std::size_t comm_column = 1;
  std::optional<std::size_t> time_column = {};
  std::optional<std::size_t> thread_column = {};  // of tids
  std::vector<bool> kept_entries = {};            // by entry: whether it counts; empty: all
};

class StackProfileMaker {
 public:
  // One recording's names, for any number of its events.
  struct Recording {
    const Hists& hists;
    Naming& naming;
    std::vector<u32> frames = {};        // profile frames by HistFrameId; filled on demand
    std::vector<bool> has_callees = {};  // by ChainId; filled on demand
  };
  // Adds a series: the entries of one event.
  void add(Recording& recording, const StackSource& source);
  // `slot_length`: that of the groups' times; increased to stay within `most_slots`.
  StackProfile finish(u64 slot_length = 0, u32 most_slots = 1000);

 private:
  struct TimedWeight {
    u32 stack = 0;
    u64 time = 0, samples = 0, period = 0;
    u32 thread = 0;
  };
  void name_frames(Recording& recording);
  u32 outermost_frame(const Recording& recording, ChainId chain);
  // The event's entries by comm, and the stack of each comm, which is at the bottom.
  std::vector<std::vector<u32>> entries_by_comm(Recording& recording, const StackSource& source,
                                                std::vector<u32>& bottoms);
  u32 stack_of(const Recording& recording, ChainId chain, u32 bottom);
  void place_in_time(u64 slot_length, u32 most_slots);

  StackTable table_;
  StackProfile profile_;
  std::vector<std::vector<TimedWeight>> timed_;  // by series, one per entry
  std::vector<u32> stack_of_chain_;              // for the current comm
  std::vector<u32> seen_;                        // its chains
  std::vector<ChainId> path_;
};

// Limits of what a page can show.
struct StackLimits {
  std::size_t stacks = 100'000, weights = 400'000;
};
// Merges slots, then threads, then invisibly narrow stacks into one child of their parent, until the profile fits.
// Returns the smallest share of a series that a remaining stack has; 0 if none was merged.
double fit_profile(StackProfile& profile, const StackLimits& limits);

}  // namespace peregrine
