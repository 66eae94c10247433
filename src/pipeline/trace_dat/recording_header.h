// recording_header(): the events, features and first records of the recording that a trace.dat file becomes.
#pragma once
#include <cstddef>
#include <vector>

#include "base/result.h"
#include "data/feature/features.h"
#include "data/header/evlist.h"
#include "data/trace_dat/trace_dat.h"
#include "data/writer/copy_writer.h"
#include "pipeline/trace_dat/trace_contents.h"

namespace peregrine {

struct RecordingHeader {
  data::Evlist evlist;  // an event for each tracepoint with events
  data::Features features;
  std::vector<std::byte> side_band;  // maps of the kernel and its modules, and the names of threads
};

RecordingHeader recording_header(const data::TraceDat& trace, const TraceContents& contents);

// After the records: the features, and the end of the file.
Result<> write_features(const RecordingHeader& header, data::CopyWriter& writer);

}  // namespace peregrine
