// Summaries of a recording's samples instead of lines: counted or summed by fields, the distribution of a field, and
// the time between two events that belong together.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "data/reader/reader.h"
#include "event/tracepoint/trace_formats.h"
#include "machine/dso/dso.h"
#include "output/sink.h"
#include "pipeline/replay/filter.h"
#include "session/session_listener.h"

namespace peregrine {

struct SummaryRequest {
  // Lists of fields and events, separated by commas.
  std::string count_by = {};   // fields whose values are counted, or that group pairs
  std::string sum = {};        // a field
  std::string histogram = {};  // a field
  std::string pair = {};       // two events
  std::string pair_key = {};   // fields that are equal in both
  std::string heat_map = {};   // file for a picture of the pairs

  bool any() const {
    return !count_by.empty() || !sum.empty() || !histogram.empty() || !pair.empty() || !heat_map.empty();
  }
};

struct SummarySamples {
  data::Reader& reader;
  const TraceFormats& formats;
  const std::vector<std::string>& names;  // of its events
  SampleFilter filter;
  SymbolPlaces places;
};

// Prints the requested summary. Errors: Usage, unknown events or fields; a picture that cannot be written; of a broken
// recording, after the summary of what could be read.
Result<> print_summary(const SummaryRequest& request, SummarySamples samples, Sink& out, SessionListener& listener);

}  // namespace peregrine
