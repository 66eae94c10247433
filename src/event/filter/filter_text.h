// kernel_filter: a tracepoint's filter as people write it → as the kernel takes it, checked against the event's fields.
//
//   filter  := all ('||' all)*      all := one ('&&' one)*      one := '!' one | '(' filter ')' | test
//   test    := FIELD OPERATOR VALUE
//
// Numbers have == != < <= > >= and &, strings have == != ~ (a glob) and !~. Beyond the kernel's grammar: strings need
// no quotes, device numbers are written 8:0, numbers by the names that the event prints for them (GFP_KERNEL), negative
// numbers fit unsigned fields. The file of an event's fields (TraceFormat) is untrusted, as the filter is.
#pragma once
#include <string>
#include <string_view>

#include "event/field/trace_format.h"
#include "event/term.h"

namespace peregrine {

Parsed<std::string> kernel_filter(std::string_view filter, const TraceFormat& format);

// The operators that a field has, separated by blanks; "none" for what cannot be compared.
std::string filter_operators(const TraceField& field);

// The number that an event's print format gives a name for a field's value or flags ("A|B" is both).
std::optional<u64> symbol_value(const TraceFormat& format, std::string_view field, std::string_view name);

// The filter, a caret under the place, and what is wrong there.
Error format_filter_error(std::string_view filter, const SyntaxError& error);

}  // namespace peregrine
