// read_recording(): reads a recording from beginning to end into a sink, as report, annotate and diff do: with a dump
// of the records if requested, with progress, and with Ctrl-C, after which the sums of the part that was read are
// shown.
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
  Sink* dump = nullptr;   // where every record is printed (-D); null: nowhere
  std::string file = {};  // the output file that depends on the whole recording; empty: none
};

struct RecordingRead {
  ReplayAccount account;
  Result<> outcome;  // an error: the recording is broken; the sink has what precedes the damage
};

// With a dump one worker reads. Errors: System (EINTR), Ctrl-C although `file` is to be written.
Result<RecordingRead> read_recording(data::Reader& reader, Machine& machine, ReplaySink& sink, ReadRequest request,
                                     SessionListener& listener);

}  // namespace peregrine
