// Profile: a recording in the model of profile viewers: frames, stacks, events, threads and weighted samples.
//
// Built once from a Hists whose groups contain comm, tid and, if samples keep their times, the time, with the pid as
// the last value; rendered by output/profile. Frames with equal texts are merged; stacks are nodes of one prefix tree,
// so a large recording takes 40 bytes per distinct (thread, stack, time).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "analysis/hist/chain/chain_tree.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/key/trace_texts.h"
#include "base/container/string_pool.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "machine/machine.h"
#include "machine/source/source_table.h"

namespace peregrine {

struct ProfileFrame {
  StringId symbol;  // invalid: unresolved
  u32 dso = 0;      // index in Profile::dsos
  u64 address = 0;  // start of the symbol; the address of an unresolved frame
  StringId file;    // source file; invalid if unknown or not requested
  u32 line = 0;     // 0: unknown
  bool kernel = false, jit = false;
  bool inlined = false;  // its caller is the function that contains it
  friend bool operator==(const ProfileFrame&, const ProfileFrame&) = default;
};

struct ProfileDso {
  std::string name;  // last part of the path; "[kernel.kallsyms]", "[unknown]"
  std::string path;  // whole
  std::string build_id;
};

struct ProfileEvent {
  std::string name;
  bool nanoseconds = false;  // unit of its period; else occurrences
  bool instant = false;      // samples are occurrences rather than parts of a duration: a tracepoint
  u64 samples = 0, period = 0;
};

struct ProfileThread {
  u32 pid = 0, tid = 0;
  StringId comm;
};

struct ProfileSample {
  u64 time = 0;  // ns; 0 in an untimed profile
  u64 period = 0;
  u32 samples = 0;  // number of samples represented
  u32 event = 0, thread = 0;
  ChainId stack;
  StringId fields;  // tracepoint fields as printed; invalid if none or not requested
};

struct Profile {
  StringPool texts;
  std::vector<ProfileFrame> frames;  // by HistFrameId of `stacks`
  std::vector<ProfileDso> dsos;
  ChainTree stacks;  // outermost frame first
  std::vector<ProfileEvent> events;
  std::vector<ProfileThread> threads;  // one per name if a thread was renamed
  std::vector<ProfileSample> samples;  // by time, or else by their first sample
  bool timed = false;
  std::string command;  // the recorded command line
  std::string creator;  // "peregrine 0.1.0"

  const ProfileFrame& frame_of(ChainId stack) const { return frames[stacks.frame(stack).value]; }
  std::string_view text(StringId id) const { return id.valid() ? texts.view(id) : std::string_view(); }
};

struct ProfileRequest {
  std::vector<SortKey> keys;           // the keys of the Hists, including Comm and Pid
  bool timed = false;                  // and Time, with a quantum of 1 ns
  const TraceTexts* traces = nullptr;  // and Trace: the tracepoint fields
  std::vector<std::string> event_names;
  const data::Evlist* evlist = nullptr;
};

// The keys required to collect samples for a profile.
std::vector<SortKey> profile_keys(bool timed, bool traced = false);
Profile make_profile(const Hists& hists, const Machine& machine, const SourceTable* sources,
                     const ProfileRequest& request);

// The frame's label in flame graph tools: its symbol, else "[libc.so.6]" or "[unknown]".
std::string frame_name(const Profile& profile, const ProfileFrame& frame);

}  // namespace peregrine
