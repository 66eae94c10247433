// Filters of `--hist`: a tracepoint's filter as the steps that the BPF program runs which counts a field's values.
//
// The kernel applies filters to what it records; programs see every hit. Of its grammar (filter_text.h) they know the
// tests of numbers: of fields of 1, 2, 4 and 8 bytes, of common_pid and of cpu.
#pragma once
#include <string_view>
#include <vector>

#include "abi/sample_filter.h"
#include "event/field/trace_format.h"
#include "event/term.h"

namespace peregrine {

// What a step's `part` is beside offsets of fields.
enum FieldFilterPart : u16 { kFieldCpu = 0xffff, kFieldPid = 0xfffe };

// In each step `shift` is 64 minus the field's bits, and `bits` 1 for signed ones. Errors: as kernel_filter; a test of
// a string, or too many tests.
Parsed<std::vector<sample_filter_step>> parse_field_filter(std::string_view filter, const TraceFormat& format);

}  // namespace peregrine
