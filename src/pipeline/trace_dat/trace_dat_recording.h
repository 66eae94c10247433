// trace_dat_recording(): a trace.dat file of trace-cmd as a recording, so that every command reads it.
//
//   trace.dat ─▶ TraceDat ─▶ unpacked pages ─▶ TraceEvents ─▶ samples in time order ─▶ unnamed file ─▶ data::Reader
//
// The recording keeps the byte order of the trace, which is that of its raw data. An event is a sample of its
// tracepoint with the thread, time, CPU and raw data; the stacks behind it are its call chain. Saved names of threads
// and the kernel's symbols become records of comms and maps. A pass before finds which tracepoints have events.
#pragma once
#include <optional>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "pipeline/bundle/unpack_budget.h"

namespace peregrine {

struct TraceDatRecording {
  Fd recording;
  Fd kallsyms;            // the symbols of the traced kernel; none if they are not in the file
  u64 damaged_pages = 0;  // ring-buffer pages with events that could not be read
};

// Returns nothing if `file` is not a trace.dat file. `name` is for errors. Errors: Malformed, Unsupported; those of the
// budget.
Result<std::optional<TraceDatRecording>> trace_dat_recording(const Fd& file, const std::string& name,
                                                             const std::string& temporary, UnpackBudget& budget);

}  // namespace peregrine
