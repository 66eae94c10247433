// Profile: a recording as profile viewers see it: frames, stacks, events, threads and weighted samples.
//
// Made once of a Hists whose groups tell comm, tid and, where samples are to keep their times, the time, and the pid as
// their last value; rendered by output/profile. Frames that look alike are one frame; stacks are nodes of one prefix
// tree, so a large recording costs 40 bytes for each distinct (thread, stack, time).
#pragma once
#include <string>
#include <vector>

#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/sort_key.h"
#include "analysis/hist/key/trace_texts.h"
#include "base/container/string_pool.h"
#include "data/header/evlist.h"
#include "machine/machine.h"
#include "machine/source/source_table.h"

namespace peregrine {

struct ProfileFrame {
  StringId symbol;  // invalid: unresolved
  u32 dso = 0;      // index in Profile::dsos
  u64 address = 0;  // of the symbol's start; of an unresolved frame the address itself
  StringId file;    // of its source line; invalid: unknown, or not asked for
  u32 line = 0;     // 0: unknown
  bool kernel = false, jit = false;
  bool inlined = false;  // its caller is the function that it is inlined into
  friend bool operator==(const ProfileFrame&, const ProfileFrame&) = default;
};

struct ProfileDso {
  std::string name;  // last part of the path; "[kernel.kallsyms]", "[unknown]"
  std::string path;  // whole
  std::string build_id;
};

struct ProfileEvent {
  std::string name;
  bool nanoseconds = false;  // what its period counts; else occurrences
  bool instant = false;      // a sample is something that happened, not a part of what went on: a tracepoint
  u64 samples = 0, period = 0;
};

struct ProfileThread {
  u32 pid = 0, tid = 0;
  StringId comm;
};

struct ProfileSample {
  u64 time = 0;  // ns; of an untimed profile 0
  u64 period = 0;
  u32 samples = 0;  // that it stands for
  u32 event = 0, thread = 0;
  ChainId stack;
  StringId fields;  // of a tracepoint, as its format prints them; invalid: not asked for, or there are none
};

struct Profile {
  StringPool texts;
  std::vector<ProfileFrame> frames;  // by HistFrameId of `stacks`
  std::vector<ProfileDso> dsos;
  ChainTree stacks;  // outermost frame first
  std::vector<ProfileEvent> events;
  std::vector<ProfileThread> threads;  // a thread that changed its name is one for each name
  std::vector<ProfileSample> samples;  // in order of time, else of their first sample
  bool timed = false;
  std::string command;  // the recorded command line
  std::string creator;  // "peregrine 0.1.0"

  const ProfileFrame& frame_of(ChainId stack) const { return frames[stacks.frame(stack).value]; }
  std::string_view text(StringId id) const { return id.valid() ? texts.view(id) : std::string_view(); }
};

struct ProfileRequest {
  std::vector<SortKey> keys;           // those that the Hists was collected by: Comm and Pid among them
  bool timed = false;                  // and Time, with a quantum of 1 ns
  const TraceTexts* traces = nullptr;  // and Trace: the fields of tracepoints
  std::vector<std::string> event_names;
  const data::Evlist* evlist = nullptr;
};

// What a collection of samples for a profile must tell apart.
std::vector<SortKey> profile_keys(bool timed, bool traced = false);
Profile make_profile(const Hists& hists, const Machine& machine, const SourceTable* sources,
                     const ProfileRequest& request);

// What flame graph tools call the frame: its symbol, else "[libc.so.6]" or "[unknown]".
std::string frame_name(const Profile& profile, const ProfileFrame& frame);

}  // namespace peregrine
