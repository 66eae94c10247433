// StackProfile: what pictures are made of: stacks as one tree of named frames, and how much fell on each, by series and
// by time. A series is an event of a recording, or one side of a comparison.
//
//   Hists ──StackProfileMaker::add──▶ StackProfile ──▶ FlameTree (SVG) · the HTML page
//
// A stack is a frame on top of another stack; comms stand at the bottom. Frames are told apart by name, dso and kind;
// a run of unresolved frames of one dso is one. A stack that begins outside of all maps broke off: "[broken stack]" is
// its outermost frame. Values only: no ids of the machine are left in it.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/flat_index.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/face_table.h"
#include "base/container/string_pool.h"

namespace peregrine {

enum class CodeKind : u8 { All, Comm, Application, Library, Inlined, Jit, Kernel, Module, Unresolved, Narrow };

struct StackFrame {
  u32 name = 0, dso = 0;  // in StackProfile::texts
  CodeKind kind = CodeKind::All;
  friend bool operator==(const StackFrame&, const StackFrame&) = default;
};

struct Stack {
  u32 parent = 0, frame = 0;
  friend bool operator==(const Stack&, const Stack&) = default;
};

// What fell on one stack itself in one slot of time.
struct StackWeight {
  u32 stack = 0, slot = 0;
  u64 samples = 0, period = 0;
};

struct StackSeries {
  std::string name;
  std::vector<StackWeight> weights;  // by stack, then slot
  u64 samples() const;
  u64 period() const;
};

struct StackProfile {
  std::vector<std::string> texts;  // texts[0] is ""
  std::vector<StackFrame> frames;  // frames[0] stands for everything
  std::vector<Stack> stacks;       // stacks[0] is the empty one; parents before children
  std::vector<StackSeries> series;
  u64 start = 0, slot_length = 0;  // ns; no length: time was not kept
  u32 slots = 1;

  std::string_view name(u32 frame) const { return texts[frames[frame].name]; }
};

// Where the values are in a Hists' groups, and how they are called.
struct StackSource {
  std::string name;
  u32 event = 0;
  std::size_t comm_column = 1;
  std::optional<std::size_t> time_column = {};
  std::vector<bool> kept_entries = {};  // by entry: whether it counts; empty: all do
};

class StackProfileMaker {
 public:
  StackProfileMaker();

  // One recording's names, for any number of its events.
  struct Recording {
    const Hists& hists;
    Naming& naming;
    std::vector<u32> frames = {};        // of the profile, by HistFrameId; filled when first needed
    std::vector<bool> has_callees = {};  // by ChainId; the same
  };
  // One more series: what fell on this event.
  void add(Recording& recording, const StackSource& source);
  // `slot_length`: that of the times in the groups; longer where there would be more than `most_slots`.
  StackProfile finish(u64 slot_length = 0, u32 most_slots = 1000);

 private:
  struct TimedWeight {
    u32 stack = 0;
    u64 time = 0, samples = 0, period = 0;
  };
  u32 text(std::string_view text) { return texts_.intern(text).value; }
  u32 frame(const StackFrame& frame);
  u32 child(u32 parent, u32 frame);
  void name_frames(Recording& recording);
  u32 outermost_frame(const Recording& recording, ChainId chain);
  // The event's entries, and the stack of each comm that they stand on.
  std::vector<std::vector<u32>> entries_by_comm(Recording& recording, const StackSource& source,
                                                std::vector<u32>& bottoms);
  u32 stack_of(const Recording& recording, ChainId chain, u32 bottom);
  void place_in_time(u64 slot_length, u32 most_slots);

  StringPool texts_;
  FlatIndex frame_index_, stack_index_;
  StackProfile profile_;
  std::vector<std::vector<TimedWeight>> timed_;  // by series, one for each entry
  std::vector<u32> stack_of_chain_;              // of the comm at hand
  std::vector<u32> seen_;                        // chains in it
  std::vector<ChainId> path_;
};

// Bounds of what a page can show at once.
struct StackLimits {
  std::size_t stacks = 100'000, weights = 400'000;
};
// Joins slots, and stacks too narrow to be seen into one child of their parent, until the profile fits. Returns the
// least share of a series that a stack still there has; 0: all are.
double fit_profile(StackProfile& profile, const StackLimits& limits);

}  // namespace peregrine
