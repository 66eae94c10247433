// TracedRecording: a recording with the machine that its records describe, for commands that follow events in order
// (sched, kmem, timechart, lock, kwork, kvm, c2c). Main thread only.
#pragma once
#include <bitset>
#include <memory>

#include "analysis/field/recorded_tracepoints.h"
#include "base/result.h"
#include "base/types.h"
#include "machine/machine.h"
#include "pipeline/replay/filter.h"
#include "pipeline/replay/replay.h"
#include "session/recording/opened_recording.h"
#include "session/recording/symbol_request.h"
#include "session/session_listener.h"

namespace peregrine {

// The largest kernels are built for this many CPUs. Wider lines are useless, and a hostile header could request
// gigabytes per line.
inline constexpr u32 kMostColumns = 8192;

struct TracedRecording {
  std::unique_ptr<OpenedRecording> reader;
  std::unique_ptr<Machine> machine;
  // Records that the recorder lost, known after a replay.
  u64 lost = 0;
  // The number of CPU columns in a picture: the CPUs of the recorded machine by its header; 0 if the header does not
  // say, or claims more than kMostColumns.
  u32 cpus() const;
};

Result<TracedRecording> open_traced(const OpenRequest& file, const SymbolRequest& symbols, SessionListener& listener);

struct OrderedReplay {
  std::bitset<128> shown;  // the record types, besides samples, to pass to the sink
  SampleFilter filter = {};
  bool stitch_branches = false;
};
// Passes all samples and the chosen records to the sink in order, on one thread; then reports losses. Errors: a broken
// file.
Result<> replay_in_order(TracedRecording& recording, ReplaySink& sink, OrderedReplay request,
                         SessionListener& listener);

// The same, with the records that the sink wants. Errors: also invalid tracepoint formats.
Result<> replay_traced(TracedRecording& recording, TracepointSink& sink, SampleFilter filter,
                       SessionListener& listener);

}  // namespace peregrine
