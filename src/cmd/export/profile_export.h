// profile_export: shared by report and script for profiles of other programs: the data to collect, and the renderer
// for it.
#pragma once
#include <vector>

#include "analysis/hist/collector/collector.h"
#include "cmd/recording/format_option.h"
#include "cmd/recording/recording.h"

namespace peregrine::cmd {

// Error (Unsupported): the format wants times, and the samples have none.
Result<> check_times(const FormatOptions& format, const data::Evlist& evlist);
bool has_times(const data::Evlist& evlist);

// What the profile needs of a collection; `request.sources` is set. `timed`: samples keep their times.
// `traces`: the texts of its tracepoints.
void ask_for_profile(const FormatOptions& format, bool timed, const data::Evlist& evlist, TraceTexts& traces,
                     CollectRequest& request);

// What a collection for a profile has brought.
struct CollectedProfile {
  const Hists& hists;
  const Machine& machine;
  const SourceTable& sources;
  const data::Reader& reader;
  const TraceTexts& traces;
  bool timed = false;
};
Result<int> write_profile(const FormatOptions& format, const CollectedProfile& collected, Invocation& call);

}  // namespace peregrine::cmd
