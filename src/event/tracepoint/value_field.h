// ValueField: a tracepoint field with counted values ("block:block_rq_complete:nr_sector").
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "abi/sample_filter.h"
#include "base/result.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "event/source.h"
#include "event/spec.h"

namespace peregrine {

struct ValueField {
  std::string name;  // as requested
  EventSpec event;
  TraceField field;  // a number of 1, 2, 4 or 8 bytes
  std::string filter;
  std::vector<sample_filter_step> tests;  // of the filter
};

// Errors (Usage, NotFound): not EVENT:FIELD, an unknown event or field (with the nearest name), or a non-numeric field.
Result<ValueField> parse_value_field(std::string_view words, EventSources& sources);

// Counts only hits that satisfy this filter and all earlier ones. Errors (Usage): those of set_filter; a test of
// something other than a number.
Result<> filter_values(ValueField& field, std::string_view filter, EventSources& sources);

// "1,8,64": ascending starts of value ranges.
Result<std::vector<i64>> parse_value_bounds(std::string_view words);

}  // namespace peregrine
