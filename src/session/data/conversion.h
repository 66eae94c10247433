// Conversions of a recording for other programs: as one JSON document, as a timeline, as a folder of the Common Trace
// Format, or as a trace.dat file.
//
// On Ctrl-C, nothing is written, and an existing file or folder is kept.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/dso/dso.h"
#include "output/sink.h"
#include "pipeline/replay/filter.h"
#include "session/session_listener.h"

namespace peregrine {

struct ConvertedSamples {
  data::Reader& reader;
  std::vector<TimeRange> times = {};  // only samples in these spans; empty: all
  SymbolPlaces places;
};

// The result of a conversion.
struct Conversion {
  u64 samples = 0, others = 0;  // number written
  u64 moved = 0;                // records that came too late and were given the time of the previous one
  u64 bytes = 0;
  u64 unwritten = 0;  // samples that have no place in the format
  u64 too_large = 0;  // samples that exceed its limits
  // An error: the recording is broken (a JSON document then has everything before the damage), or a trace cannot be
  // written.
  Result<> outcome;
};

// Writes to `out`, without a flush. `file`: its name; empty for standard output, which then shows the part read before
// Ctrl-C. Errors: System (EINTR), Ctrl-C. Does not return `bytes`.
Result<Conversion> convert_to_json(ConvertedSamples samples, const std::string& file, Sink& out,
                                   SessionListener& listener);

enum class TimelineFormat : u8 { Chrome, Perfetto };
// The same for a timeline: scheduler switches, system calls and interrupts as slices, tracepoints with their fields.
Result<Conversion> convert_to_timeline(TimelineFormat format, ConvertedSamples samples, const std::string& file,
                                       Sink& out, SessionListener& listener);

struct CtfRequest {
  std::string folder;
  bool force = false;       // replace an existing trace
  bool all = false;         // include processes and their memory maps
  bool wall_clock = false;  // use wall-clock times
};
// Errors: the clock was not recorded; other files are in the folder; System (EINTR), Ctrl-C.
Result<Conversion> convert_to_ctf(const CtfRequest& request, ConvertedSamples samples, SessionListener& listener);

struct TraceDatRequest {
  std::string file;
  unsigned version = 6;
  std::string temporary_folder;  // for pages
};
// Writes to `fd`, an empty file. Errors: the recording has no tracepoints; System (EINTR), Ctrl-C. Returns no `bytes`.
Result<Conversion> convert_to_trace_dat(const TraceDatRequest& request, int fd, ConvertedSamples samples,
                                        int recorded_kallsyms, SessionListener& listener);

}  // namespace peregrine
