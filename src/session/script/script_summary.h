// Summaries of a recording's samples instead of lines: counted or summed by fields, the distribution of a field, the
// time between two events that belong together, and tables and lines of expressions (field_report.h).
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "data/reader/reader.h"
#include "event/tracepoint/trace_formats.h"
#include "machine/dso/dso.h"
#include "output/sink.h"
#include "pipeline/replay/filter.h"
#include "session/field_report.h"
#include "session/session_listener.h"

namespace peregrine {

struct SummaryRequest {
  // Comma-separated lists of fields and events.
  std::string count_by = {};   // fields to count by, or to group pairs by
  std::string sum = {};        // a field
  std::string histogram = {};  // a field
  std::string pair = {};       // two events
  std::string pair_key = {};   // fields that are equal in both events
  std::string heat_map = {};   // file for a heat map of the pairs
  FieldReportRequest report = {};

  // Whether there is a summary; conditions may also select what is printed otherwise.
  bool any() const {
    return report.prints() || !count_by.empty() || !sum.empty() || !histogram.empty() || !pair.empty() ||
           !heat_map.empty();
  }
};

struct SummarySamples {
  data::Reader& reader;
  const TraceFormats& formats;
  const std::vector<std::string>& names;  // of its events
  SampleFilter filter;
  SymbolPlaces places;
};

// Prints the requested summary. Errors: Usage, unknown events or fields; the picture cannot be written; a broken
// recording, after the summary of what could be read.
Result<> print_summary(const SummaryRequest& request, SummarySamples samples, Sink& out, SessionListener& listener);

}  // namespace peregrine
