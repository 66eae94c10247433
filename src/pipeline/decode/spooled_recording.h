// spool_recording: a recording from a pipe → the same recording in a file, which can be read twice.
//
//   pipe ─▶ Reader ─▶ RecordingCopy ─▶ file without a name ─▶ Reader
//
// A trace arrives after the side-band of its time, so no sample can be made before the pipe ends. Traces are larger
// than memory: they wait on disk.
#pragma once
#include "base/fd.h"
#include "data/reader/reader.h"

namespace peregrine {

// Whether the recording is a pipe (or a file with the pipe layout) that announced hardware traces. Call before next().
bool needs_spooling(const data::Reader& reader);

// Reads `reader` to its end; `file` is empty and open for reading and writing. Errors: reading, writing (a full disk).
Result<data::Reader> spool_recording(data::Reader& reader, Fd file);

}  // namespace peregrine
