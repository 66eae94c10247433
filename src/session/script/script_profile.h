// Writes the filtered samples of a recording as a profile for other programs.
#pragma once
#include <string>

#include "base/result.h"
#include "data/reader/reader.h"
#include "machine/dso/dso.h"
#include "pipeline/replay/event_switch.h"
#include "pipeline/replay/filter.h"
#include "session/export/profile_export.h"
#include "session/export/profile_format.h"
#include "session/field_report.h"
#include "session/script/script_lines_request.h"
#include "session/session_listener.h"

namespace peregrine {

struct ScriptProfileRequest {
  const ProfileFormat& format;
  ScriptStacks stacks = {};
  // Comma-separated lists: only samples in these.
  std::string symbols = {}, dsos = {};
  bool inlined = true;    // show inlined functions as frames
  std::string file = {};  // the file to write, which must cover the whole recording; empty: none
};

struct ProfiledSamples {
  data::Reader& reader;
  SampleFilter filter;
  EventSwitch gate;
  SymbolPlaces places;
  FieldReportRequest conditions = {};
};

// Errors: Usage, invalid conditions; Unsupported, the format needs times that were not recorded; System (EINTR), Ctrl-C
// while writing a file; those of write_profile(); a broken recording, after the profile of what could be read.
Result<> write_script_profile(const ScriptProfileRequest& request, ProfiledSamples samples, const ProfileOutput& output,
                              SessionListener& listener);

}  // namespace peregrine
