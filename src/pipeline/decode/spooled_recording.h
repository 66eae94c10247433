// spool_recording: saves a recording from a pipe to a file, which can be read twice.
//
//   pipe ─▶ Reader ─▶ RecordingCopy ─▶ unnamed file ─▶ Reader
//
// A trace arrives after the side-band of its time, so no sample can be decoded before the pipe ends. Traces exceed
// memory, so they wait on disk.
#pragma once
#include "base/fd.h"
#include "base/result.h"
#include "data/reader/reader.h"

namespace peregrine {

// Whether the recording is a pipe (or has the pipe layout) and announced hardware traces. Call before next().
bool needs_spooling(const data::Reader& reader);

// Reads `reader` to its end; `file` must be empty and open for reading and writing. Errors: reading, writing (disk
// full).
Result<data::Reader> spool_recording(data::Reader& reader, Fd file);

}  // namespace peregrine
