// The histograms of hist triggers, from the text of the kernel's `hist` files to tables.
//
//   { pid:       1234, comm: bash } hitcount:          3  bytes_req:      96
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "capture/tracer/trace_folder.h"
#include "capture/tracer/tracer_plan.h"
#include "output/sink.h"

namespace peregrine {

struct EventHistogram {
  using Fields = std::vector<std::pair<std::string, std::string>>;  // names and values
  struct Row {
    Fields keys, sums;
  };
  std::vector<Row> rows;
  std::string hits, dropped;  // of "Totals:"; empty if absent
};

// A stack key, which has a line per frame, becomes one text: "a < b".
EventHistogram parse_event_histogram(std::string_view text);
void print_event_histogram(const EventHistogram& histogram, std::string_view event, Sink& out);
// Reads and prints the histogram of each hist trigger among these. Errors: one cannot be read.
Result<> print_event_histograms(const TraceFolder& folder, std::span<const EventSetting> triggers, Sink& out);

}  // namespace peregrine
