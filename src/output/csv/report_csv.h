// The rows of a report as CSV: a header line before the first table, then a line per row, starting with its event.
//
//   event,overhead,comm,dso,symbol,level,period,samples
//   cpu-clock,75.5,load,prog,main,.,750000,3
//
// Unknown values are empty. Pure.
#pragma once
#include "analysis/hist/row/row_value.h"
#include "output/sink.h"

namespace peregrine {

// `titles`: print the header line.
void print_report_csv(Sink& out, const NamedRows& table, bool titles);

}  // namespace peregrine
