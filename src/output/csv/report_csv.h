// The rows of a report as CSV: a line of names before the first table, then a line for each row, its event first.
//
//   event,overhead,comm,dso,symbol,level,period,samples
//   cpu-clock,75.5,load,prog,main,.,750000,3
//
// What is not known is empty. Pure.
#pragma once
#include "analysis/hist/row/row_value.h"
#include "output/sink.h"

namespace peregrine {

// `titles`: with the line of names.
void print_report_csv(Sink& out, const NamedRows& table, bool titles);

}  // namespace peregrine
