// Filters of `--hist`: compiles a tracepoint filter for the BPF program that counts a field's values.
//
// The kernel's own filters apply only to recorded events; BPF programs see every hit. Supports the number tests of the
// kernel's grammar (filter_text.h): fields of 1, 2, 4 and 8 bytes, common_pid and cpu.
#pragma once
#include <string_view>
#include <vector>

#include "abi/sample_filter.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "event/term.h"

namespace peregrine {

// Values of a step's `part` other than field offsets.
enum FieldFilterPart : u16 { kFieldCpu = 0xffff, kFieldPid = 0xfffe };

// In each step `shift` is 64 minus the field's bits; `bits` is 1 for signed fields. Errors: those of kernel_filter; a
// string test, or too many tests.
Parsed<std::vector<sample_filter_step>> parse_field_filter(std::string_view filter, const TraceFormat& format);

}  // namespace peregrine
