// profile_export: profiles in the formats of other programs: what to collect for a profile, and writing the
// file.
#pragma once
#include <string>
#include <string_view>

#include "analysis/hist/collector/collector.h"
#include "analysis/hist/entry/hists.h"
#include "analysis/hist/key/trace_texts.h"
#include "base/result.h"
#include "data/header/evlist.h"
#include "data/reader/reader.h"
#include "machine/machine.h"
#include "machine/source/source_table.h"
#include "output/sink.h"
#include "session/export/profile_format.h"
#include "session/session_listener.h"

namespace peregrine {

bool has_times(const data::Evlist& evlist);
// Error (Unsupported): the format needs times, but the samples have none.
Result<> check_times(const ProfileFormat& format, const data::Evlist& evlist);

// Makes `request` collect what the profile needs; set `request.sources` first. `timed`: samples keep their times.
// `traces`: collect the texts of tracepoints.
void request_profile(const ProfileFormat& format, bool timed, const data::Evlist& evlist, TraceTexts& traces,
                     CollectRequest& request);

// The data of a collection prepared by request_profile().
struct CollectedProfile {
  const Hists& hists;
  const Machine& machine;
  const SourceTable& sources;
  const data::Reader& reader;
  const TraceTexts& traces;
  bool timed = false;
  std::string filters = {};  // selection_text(), for the error if nothing matches
};
// Where to write the text, and its metadata.
struct ProfileOutput {
  Sink& out;
  bool to_terminal = false;  // binary formats are refused there
  std::string creator;       // "peregrine 0.1.0"
};
// The error for an empty profile. `filters`: as in CollectedProfile.
Error no_samples_error(std::string_view filters);
// Errors: NotFound, there are no samples, or none of the requested event; Usage, binary data for a terminal.
Result<> write_profile(const ProfileFormat& format, const CollectedProfile& collected, const ProfileOutput& output,
                       SessionListener& listener);

}  // namespace peregrine
