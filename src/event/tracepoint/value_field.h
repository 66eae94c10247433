// ValueField: a field of a tracepoint whose values are to be counted ("block:block_rq_complete:nr_sector").
#pragma once
#include "event/field/trace_format.h"
#include "event/filter/field_filter.h"
#include "event/source.h"
#include "event/spec.h"

namespace peregrine {

struct ValueField {
  std::string name;  // as it was asked for
  EventSpec event;
  TraceField field;  // a number of 1, 2, 4 or 8 bytes
  std::string filter;
  std::vector<sample_filter_step> tests;  // of the filter
};

// Errors (Usage, NotFound): what is no EVENT:FIELD, an event or a field that is not there, a field that is no number;
// with the nearest name.
Result<ValueField> parse_value_field(std::string_view words, EventSources& sources);

// Only values of hits for which this holds, and what was asked before. Errors (Usage): as set_filter; a test of what is
// no number.
Result<> filter_values(ValueField& field, std::string_view filter, EventSources& sources);

// "1,8,64": where ranges of values begin, ascending.
Result<std::vector<i64>> parse_value_bounds(std::string_view words);

}  // namespace peregrine
