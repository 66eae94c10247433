// The values of one tracepoint field in a record, as numbers and as text. Names of values and symbols come from the
// print format.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "analysis/field/field_values.h"
#include "base/bytes.h"
#include "base/number/wide_number.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "event/print/print_names.h"

namespace peregrine {

// Whether it is a number in every record.
bool is_number(const TraceField& field);
FieldForm kind_of(const TraceField& field, const PrintNames* names);
// Whether it is the number of a device: major << 20 | minor.
bool is_device(const TraceField& field);
bool has_device(const TraceFormat& format);
// Nothing if it is text or unavailable.
std::optional<i128> traced_number(const TraceField& field, Bytes raw, ByteOrder order);
// `names`: of the values, or of devices; may be null.
void append_traced(std::string& out, const TraceField& field, const PrintNames* names, Bytes raw, ByteOrder order);
// Both "sched_switch" and "sched:sched_switch" match the event "sched:sched_switch".
bool names_event(std::string_view word, std::string_view event);

}  // namespace peregrine
