// Conversions of a recording for other programs: as one JSON document, or as a folder of the Common Trace Format.
//
// On Ctrl-C nothing is written: an earlier file or folder stays.
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
  std::vector<TimeRange> times = {};  // only samples in these; empty: all
  SymbolPlaces places;
};

// How a conversion ended.
struct Conversion {
  u64 samples = 0, others = 0;  // that were written
  u64 moved = 0;                // records that came too late, and have the time of their predecessor
  u64 bytes = 0;
  // An error: the recording is broken, and a JSON document has what precedes the damage; or a trace cannot be written.
  Result<> outcome;
};

// Writes to `out`, without a flush. `file`: its name, empty for standard output, where the part that was read before
// Ctrl-C is shown. Errors: System (EINTR), Ctrl-C. Returns no `bytes`.
Result<Conversion> convert_to_json(ConvertedSamples samples, const std::string& file, Sink& out,
                                   SessionListener& listener);

struct CtfRequest {
  std::string folder;
  bool force = false;       // replace a trace that is there
  bool all = false;         // processes and their memory maps too
  bool wall_clock = false;  // times of day
};
// Errors: the clock was not recorded; other files are in the folder; System (EINTR), Ctrl-C.
Result<Conversion> convert_to_ctf(const CtfRequest& request, ConvertedSamples samples, SessionListener& listener);

}  // namespace peregrine
