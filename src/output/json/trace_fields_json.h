// The fields of a tracepoint record as members of a JSON object.
#pragma once
#include <string>

#include "base/bytes.h"
#include "event/field/trace_format.h"
#include "event/print/print_format.h"

namespace peregrine {

// Appends "fields":{…} to the object at the end of `text`: numbers, arrays and strings; and "labels":{…} for values
// that the print format names. "incomplete":true follows fields that were cut for length.
void append_trace_fields(std::string& text, const TraceFormat& format, const PrintFormat& print, Bytes record);

}  // namespace peregrine
