// read_recording(): reads a recording from beginning to end into a sink, as report, annotate and diff do: with a dump
// of the records if requested, with progress, and with Ctrl-C, which ends reading and shows the sums of what was read
// so far.
#pragma once
#include <string>

#include "base/result.h"
#include "data/reader/reader.h"
#include "machine/machine.h"
#include "output/sink.h"
#include "pipeline/replay/account.h"
#include "pipeline/replay/replay.h"
#include "session/session_listener.h"

namespace peregrine {

struct ReadRequest {
  ReplayOptions replay = {};
  Sink* dump = nullptr;   // where to print every record (-D); null: nowhere
  std::string file = {};  // the output file that depends on the whole recording; empty: none
};

struct RecordingRead {
  ReplayAccount account;
  Result<> outcome;  // an error: the recording is broken; the sink has what precedes the damage
};

// With a dump, a single worker reads. Errors: System (EINTR), Ctrl-C although `file` is to be written.
Result<RecordingRead> read_recording(data::Reader& reader, Machine& machine, ReplaySink& sink, ReadRequest request,
                                     SessionListener& listener);

}  // namespace peregrine
