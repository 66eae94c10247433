// print_build_ids(): the build-ids in a recording, one line per dso.
#pragma once
#include "base/result.h"
#include "data/reader/reader.h"
#include "output/sink.h"
#include "session/session_listener.h"

namespace peregrine {

struct BuildIdListRequest {
  bool with_hits = false;  // only dsos with samples; blanks if such a dso has no build-id
  bool verbose = false;    // pass each build-id to the listener first
};

// If the recording has no build-id table, reads it to the end to find the dsos with samples. Errors: reading.
Result<> print_build_ids(const BuildIdListRequest& request, data::Reader& reader, Sink& out, SessionListener& listener);

}  // namespace peregrine
