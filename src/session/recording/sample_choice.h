// Which samples of a recording to read: by CPU, by time, and between two events. Option values become filters
// here, because their meaning depends on the recording.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/header/evlist.h"
#include "data/reader/reader.h"
#include "pipeline/replay/event_switch.h"
#include "pipeline/replay/filter.h"
#include "session/session_listener.h"

namespace peregrine {

// Names of events that start and stop the output; empty: no such event. `show`: include the switching samples.
struct SwitchedEvents {
  std::string on, off;
  bool show = false;
};
// `names`: of the recorded events. NotFound: "switch-on event not found (NAME)".
Result<EventSwitch> find_event_switch(const SwitchedEvents& wanted, const std::vector<std::string>& names);

// Whether samples can be selected by CPU: all events recorded it. Otherwise the listener gets linux-perf's text.
bool samples_have_cpus(const data::Evlist& evlist, SessionListener& listener);

// Whether any event recorded call chains.
bool records_chains(const data::Evlist& evlist);

// Adds a list of CPUs ("0-3,8"; empty: all) to the filter. False: see samples_have_cpus(). Errors: Usage.
Result<bool> choose_cpus(const std::string& cpus, const data::Evlist& evlist, SampleFilter& filter,
                         SessionListener& listener);

// Time spans of the recording; empty: all of it. Errors: Usage, as parse_time_ranges().
Result<std::vector<TimeRange>> choose_times(std::string_view text, const data::Reader& reader);

// For --stitch-lbr: warns if no event recorded call stacks as branch records, so that nothing can be joined.
void check_stitching(const data::Evlist& evlist, SessionListener& listener);

}  // namespace peregrine
