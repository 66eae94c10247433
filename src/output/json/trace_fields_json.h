// The fields of a tracepoint's record as members of a JSON object.
#pragma once
#include <string>

#include "base/bytes.h"
#include "event/field/trace_format.h"
#include "event/print/print_format.h"

namespace peregrine {

// Appends "fields":{…} to the object that `text` ends in: numbers, arrays, and strings; and, where the print format has
// names for values, "labels":{…} with them. "incomplete":true stands behind fields that would be too long.
void append_trace_fields(std::string& text, const TraceFormat& format, const PrintFormat& print, Bytes record);

}  // namespace peregrine
